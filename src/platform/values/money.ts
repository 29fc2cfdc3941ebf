import { BigNumber } from 'bignumber.js';

/**
 * Exact arithmetic on money. An amount is a decimal string such as "10.50": no exponent, no float, no white
 * space. Every function returns a plain decimal string (see `plain`) and throws RangeError for text that is
 * not a decimal number.
 */

// A separate constructor: settings that another package makes on the shared one cannot change rounding or
// printing here.
const Decimal = BigNumber.clone({ EXPONENTIAL_AT: 1e9 });
type Decimal = BigNumber;

const DECIMAL_PATTERN = /^-?\d+(\.\d+)?$/;

/** The shortest way to write `value`: "10.50" becomes "10.5", "0.000" becomes "0". */
export function plain(value: string): string {
  return decimal(value).toFixed();
}

/**
 * `written` if `value` is numerically equal to it, so that "10.50" is read back as "10.50"; otherwise
 * `plain(value)`.
 */
export function asWritten(value: string, written: string): string {
  // Most amounts are nothing yet, or the whole: neither needs arithmetic.
  if (value === written || (value === '0' && /[1-9]/.test(written))) return value;
  return compare(value, written) === 0 ? written : plain(value);
}

/**
 * `value` with at least as many decimals as `written` has: beside "10.50" 4 is "4.00", and 4.125 stays
 * "4.125".
 */
export function writtenLike(value: string, written: string): string {
  const [, decimals = ''] = written.split('.');
  const exact = decimal(value);
  return exact.toFixed(Math.max(exact.decimalPlaces() ?? 0, decimals.length));
}

export function add(a: string, b: string): string {
  return decimal(a).plus(decimal(b)).toFixed();
}

/** `a - b`, which may be negative. */
export function subtract(a: string, b: string): string {
  return decimal(a).minus(decimal(b)).toFixed();
}

/** The exact product, with as many decimals as it needs. */
export function multiply(a: string, b: string): string {
  return decimal(a).times(decimal(b)).toFixed();
}

/**
 * `a / b` for `a` >= 0 and `b` > 0, rounded once, from the exact quotient, to `decimals` places: `down` to
 * zero or `up` from it.
 */
export function divide(a: string, b: string, decimals: number, rounding: 'up' | 'down'): string {
  const [dividend, divisor] = [decimal(a).shiftedBy(decimals), decimal(b)];
  if (dividend.isLessThan(0) || !divisor.isGreaterThan(0)) throw new RangeError(`cannot divide ${a} by ${b}`);
  // Whole quotient and remainder are exact; a quotient with a set number of digits would be rounded twice.
  const quotient = dividend.dividedToIntegerBy(divisor);
  const isExact = quotient.times(divisor).isEqualTo(dividend);
  return (isExact || rounding === 'down' ? quotient : quotient.plus(1)).shiftedBy(-decimals).toFixed();
}

/** -1, 0 or 1, as `a` is less than, equal to or more than `b`: "10.5" equals "10.50". */
export function compare(a: string, b: string): -1 | 0 | 1 {
  const [left, right] = [decimal(a), decimal(b)];
  if (left.isEqualTo(right)) return 0;
  return left.isLessThan(right) ? -1 : 1;
}

/** The number of decimals that `value` needs: "10.50" needs one. */
export function decimalPlaces(value: string): number {
  return decimal(value).decimalPlaces() ?? 0;
}

export function isZero(value: string): boolean {
  return decimal(value).isZero();
}

export function max(a: string, b: string): string {
  return plain(compare(a, b) < 0 ? b : a);
}

export function min(a: string, b: string): string {
  return plain(compare(a, b) > 0 ? b : a);
}

/** "0" for none. */
export function sum(values: readonly string[]): string {
  const [first = '0', ...others] = values;
  return others.reduce(add, plain(first));
}

/**
 * An amount as people type it, such as "12,50", "0012.5", ".5" or "5.", in the form of the others here; what
 * is no amount is for the caller to refuse. Null: it may mean thousands. "1,000" is one in Berlin and a
 * thousand in London: nobody may be charged the wrong one.
 */
export function typedAmount(text: string): string | null {
  const typed = text.trim();
  if (/^[1-9]\d{0,2},\d{3}$/.test(typed)) return null;
  const amount = typed.replace(',', '.').replace(/^\./, '0.').replace(/\.$/, '');
  return amount.replace(/^0+(?=\d)/, '');
}

function decimal(value: string): Decimal {
  if (!DECIMAL_PATTERN.test(value)) throw new RangeError(`not a decimal number: ${JSON.stringify(value)}`);
  return new Decimal(value);
}
