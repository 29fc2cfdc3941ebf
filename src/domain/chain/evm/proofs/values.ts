import { Refused } from '../../rpc/refused.ts';

// What a provider sent is unknown until one of these has read it.

/** Returns the bytes of what a provider sent as data. Throws Refused for anything else. */
export function dataBytes(value: unknown): Buffer {
  const bytes =
    typeof value === 'string' && value.startsWith('0x') ? Buffer.from(value.slice(2), 'hex') : null;
  // Buffer.from stops at the first character that is no digit.
  if (bytes === null || typeof value !== 'string' || bytes.length * 2 !== value.length - 2)
    throw new Refused('malformed', 'data is not hexadecimal');
  return bytes;
}

/** Returns what a provider sent as a quantity. Throws Refused for anything else. */
export function quantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new Refused('malformed', 'a quantity is not hexadecimal');
  return BigInt(value);
}

/** Returns a quantity that is a height, a time or an index. Throws Refused beyond what is exact. */
export function integer(value: unknown): number {
  const number = Number(quantity(value));
  if (!Number.isSafeInteger(number)) throw new Refused('malformed', 'a quantity is too large');
  return number;
}

/** The last second that timestamps are written with in four digits of the year. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** Returns the time of a quantity in seconds. Throws Refused for one that cannot be stored. */
export function time(value: unknown): Date {
  const seconds = integer(value);
  if (seconds > LAST_SECOND) throw new Refused('malformed', 'a time is too late to be one');
  return new Date(seconds * 1000);
}

/** Returns a word, 32 bytes, in lower case. Throws Refused for anything else. */
export function word(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value))
    throw new Refused('malformed', 'a hash is not 32 bytes');
  return value.toLowerCase();
}

/** Returns an address in lower case. Throws Refused for anything else. */
export function address(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{40}$/i.test(value))
    throw new Refused('malformed', 'an address is not 20 bytes');
  return value.toLowerCase();
}

/** Returns an object that a provider sent. Throws Refused for anything else. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refused('malformed', 'an object is missing');
  return value as Readonly<Record<string, unknown>>;
}

/** Returns a list that a provider sent. Throws Refused for anything else. */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refused('malformed', 'a list is missing');
  return value;
}
