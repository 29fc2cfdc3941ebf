import { createHash, randomBytes, randomFillSync } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

export type IdPrefix = 'mer' | 'pay' | 'evt' | 'dlv' | 'ref' | 'req' | 'whe';

/**
 * A new id: `prefix_` and a ULID (26 characters of Crockford base 32: 48 bits of `now` in milliseconds, then
 * 80 random bits), so that ids sort by time and inserts touch the right edge of an index. Source: the ULID
 * specification.
 */
export function newId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${timePart(now.getTime())}${randomPart()}`;
}

/** The smallest possible id of `time`: the begin of a range of ids since then. */
export function firstIdAt(prefix: IdPrefix, time: Date): string {
  return `${prefix}_${timePart(time.getTime())}${'0'.repeat(RANDOM_LENGTH)}`;
}

/** The form of an id with this prefix. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`);
}

/** True when `value` has the form of an id with this prefix; the id need not exist. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-9A-HJKMNP-TV-Z]{26}$/.test(value.slice(-26))
  );
}

/** A public token, not ordered by time: 192 random bits, URL-safe, 32 characters. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** A new API key: `sk_test_` or `sk_live_`, and 192 random bits. It is shown once, and stored as its hash. */
export function newApiKey(mode: 'test' | 'live'): string {
  return `sk_${mode}_${newToken()}`;
}

/** SHA-256 of a key. A key has 192 random bits, so it needs neither salt nor stretching. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function timePart(milliseconds: number): string {
  let rest = milliseconds;
  let out = '';
  for (let i = 0; i < TIME_LENGTH; i += 1) {
    out = CROCKFORD.charAt(rest % 32) + out;
    rest = Math.floor(rest / 32);
  }
  return out;
}

// One system call fills the bytes of 256 ids: one call per id would show in the profile of creating a
// payment.
const pool = Buffer.alloc(RANDOM_LENGTH * 256);
let used = pool.length;

function randomPart(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let out = '';
  for (const end = used + RANDOM_LENGTH; used < end; used += 1)
    out += CROCKFORD.charAt((pool[used] ?? 0) % 32);
  return out;
}
