/** Exact decimals as whole numbers of 10^-18: written without the service's arithmetic. */

export const ONE = 10n ** 18n;

export function parse(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18})0*)?$/.exec(text) ?? [];
  if (whole === '') throw new RangeError(`not a decimal of at most 18 places: ${JSON.stringify(text)}`);
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(18, '0'));
  return sign === '' ? value : -value;
}

export function format(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns 10^-decimals. */
export function unitOf(decimals: number): bigint {
  return 10n ** BigInt(18 - decimals);
}

/** Returns `a * b / c`, down to a multiple of `unit`. */
export function ratioDown(a: bigint, b: bigint, c: bigint, unit: bigint): bigint {
  return ((a * b) / (c * unit)) * unit;
}

/** Returns `a * b / c`, up to a multiple of `unit`. */
export function ratioUp(a: bigint, b: bigint, c: bigint, unit: bigint): bigint {
  const step = c * unit;
  return ((a * b + step - 1n) / step) * unit;
}

export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function sumOf<T>(some: Iterable<T>, value: (one: T) => bigint): bigint {
  let total = 0n;
  for (const one of some) total += value(one);
  return total;
}
