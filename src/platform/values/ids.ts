import { hash, randomFillSync } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

export type IdPrefix =
  | 'mer'
  | 'pay'
  | 'evt'
  | 'dlv'
  | 'ref'
  | 'req'
  | 'wal'
  | 'whe'
  | 'per'
  | 'inv'
  | 'ses'
  | 'lnk'
  | 'pky'
  | 'pwl'
  | 'til'
  | 'dev';

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

/**
 * A token, not ordered by time: 192 random bits, URL-safe, 32 characters. In public paths its cell stands in
 * front (cells.ts).
 */
export function newToken(): string {
  const bytes = take(24);
  const token = bytes.toString('base64url');
  // It may become a secret, which the pool need not keep.
  bytes.fill(0);
  return token;
}

/** SHA-256 of a key. A key has 192 random bits, so it needs neither salt nor stretching. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The id of a key of SECRETS_KEY, which may be shown: the first 8 hex digits of its SHA-256. */
export function keyIdOf(key: Buffer): string {
  return hash('sha256', key, 'hex').slice(0, 8);
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

function randomPart(): string {
  let out = '';
  for (const byte of take(RANDOM_LENGTH)) out += CROCKFORD.charAt(byte % 32);
  return out;
}

// One system call fills the bytes of hundreds of ids and tokens: one call for each shows in the profile of
// creating a payment.
const pool = Buffer.alloc(16_384);
let used = pool.length;

/**
 * The next random bytes, which nothing was given before. The caller reads them at once: they are those of the
 * pool, and the pool keeps none that was handed out for longer than until it is filled again.
 */
function take(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}
