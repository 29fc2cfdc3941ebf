/** The characters that a descriptor may have, in the order of their values (BIP-380). */
const INPUT =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const OUTPUT = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn];
const CHECKSUM_LENGTH = 8;

/** What a descriptor says of an account. */
export interface DescribedAccount {
  /** As it stands there; nobody has looked at it. */
  readonly key: string;
  /** Of the wallet's master key, in lower case, and the steps from there to the key; null: it names none. */
  readonly origin: { readonly fingerprint: string; readonly path: string } | null;
}

const ACCOUNT =
  /^wpkh\((?:\[([\da-fA-F]{8})((?:\/\d{1,10}[hH'])*)\])?([1-9A-HJ-NP-Za-km-z]{1,200})\/(?:0|<0;1>)\/\*\)$/;

/**
 * Reads the descriptor of the receiving addresses of an account, or of these and the change addresses. Throws
 * RangeError, which never names the value, for any other, and where its checksum is wrong.
 */
export function readDescriptor(text: string): DescribedAccount {
  const [descriptor = '', checksum, ...rest] = text.split('#');
  const isRight = checksum === undefined || checksum === descriptorChecksum(descriptor);
  if (!isRight || rest.length > 0)
    throw new RangeError(`The checksum of the descriptor is wrong: copy it again, as a whole`);
  const [, fingerprint, path = '', key = ''] = ACCOUNT.exec(descriptor) ?? [];
  if (key === '')
    throw new RangeError(
      'The descriptor is not that of the receiving addresses of an account of BIP84: it must be ' +
        "wpkh([fingerprint/84'/0'/0']xpub.../0/*), or with /<0;1>/*",
    );
  return {
    key,
    origin:
      fingerprint === undefined
        ? null
        : { fingerprint: fingerprint.toLowerCase(), path: path.replaceAll(/[hH]/g, "'") },
  };
}

/** Returns the checksum of a descriptor without one; null: it has a character that no descriptor has. */
export function descriptorChecksum(descriptor: string): string | null {
  const values = [...descriptor].map((character) => INPUT.indexOf(character));
  if (values.includes(-1)) return null;
  const symbols: number[] = [];
  let group: number[] = [];
  for (const value of values) {
    symbols.push(value & 31);
    group.push(value >> 5);
    if (group.length < 3) continue;
    symbols.push(inBase3(group));
    group = [];
  }
  if (group.length > 0) symbols.push(inBase3(group));
  const sum = remainder([...symbols, ...Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1n;
  const places = Array.from({ length: CHECKSUM_LENGTH }, (_, i) => BigInt(5 * (CHECKSUM_LENGTH - 1 - i)));
  return places.map((place) => OUTPUT.charAt(Number((sum >> place) & 31n))).join('');
}

const inBase3 = (digits: readonly number[]) => digits.reduce((sum, digit) => sum * 3 + digit, 0);

function remainder(symbols: readonly number[]): bigint {
  return symbols.reduce((sum, symbol) => {
    const top = sum >> 35n;
    const shifted = ((sum & 0x7ffffffffn) << 5n) ^ BigInt(symbol);
    return GENERATOR.reduce((all, row, i) => ((top >> BigInt(i)) & 1n ? all ^ row : all), shifted);
  }, 1n);
}
