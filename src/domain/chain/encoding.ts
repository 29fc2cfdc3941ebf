import { createHash } from 'node:crypto';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BECH32_GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32_CHECKSUM_LENGTH = 6;

/** `bytes` as one big-endian number in base 58, with a "1" for each leading zero byte. Source: draft-msporny-base58-03. */
export function base58(bytes: Buffer): string {
  const firstNonZero = bytes.findIndex((byte) => byte !== 0);
  const zeros = firstNonZero === -1 ? bytes.length : firstNonZero;
  let rest = BigInt(`0x0${bytes.toString('hex')}`);
  let out = '';
  for (; rest > 0n; rest /= 58n) out = BASE58.charAt(Number(rest % 58n)) + out;
  return '1'.repeat(zeros) + out;
}

/** base58 of `bytes` and the first four bytes of their double SHA-256. */
export function base58Check(bytes: Buffer): string {
  return base58(Buffer.concat([bytes, sha256(sha256(bytes)).subarray(0, 4)]));
}

/** A segregated witness address, version 0, of a 20-byte (or 32-byte) program. Source: BIP-173. */
export function bech32Address(humanReadablePart: string, program: Buffer): string {
  const data = [0, ...fiveBitGroups(program)];
  const checked = [...expand(humanReadablePart), ...data, ...Array<number>(BECH32_CHECKSUM_LENGTH).fill(0)];
  const checksum = polymod(checked) ^ 1;
  const checksumGroups = Array.from(
    { length: BECH32_CHECKSUM_LENGTH },
    (_, i) => (checksum >>> (5 * (5 - i))) & 31,
  );
  return `${humanReadablePart}1${[...data, ...checksumGroups].map((group) => BECH32.charAt(group)).join('')}`;
}

/** Bytes cut anew into groups of five bits, the last one filled up with zeros. */
function fiveBitGroups(bytes: Buffer): number[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((group) => Number.parseInt(group.padEnd(5, '0'), 2));
}

function expand(humanReadablePart: string): number[] {
  const codes = [...Buffer.from(humanReadablePart, 'ascii')];
  return [...codes.map((code) => code >>> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(values: readonly number[]): number {
  return values.reduce((checksum, value) => {
    const top = checksum >>> 25;
    const shifted = ((checksum & 0x1ffffff) << 5) ^ value;
    return BECH32_GENERATOR.reduce((sum, generator, i) => ((top >>> i) & 1 ? sum ^ generator : sum), shifted);
  }, 1);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
