import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../api/errors.ts';

/** Argon2id with what OWASP asks for at least: 19 MiB and two passes, some 30 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Two at once leave half of libuv's threads to files and names, and take 38 MiB. */
const AT_ONCE = 2;
/** What waits longer than some seconds is refused instead: each holds a request open. */
const WAITING = 64;

/** Of a password that nobody has: an unknown account takes the same time as a known one. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$QQbXxkTVwmQWcYvGmNQRGUhwSSeRR0ueRJkwXGkYvNo';

let running = 0;
const waiting: (() => void)[] = [];

/** Returns the hash of a password, as it is stored. Throws ApiError rate_limited where too many wait. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalized(password), COST));
}

/**
 * Whether the password is the one that was hashed; null: there is none, and the answer is no after the same
 * time. Throws ApiError rate_limited where too many wait.
 */
export async function isPassword(password: string, hashed: string | null): Promise<boolean> {
  const isRight = await inTurn(() => verify(hashed ?? NOBODY, normalized(password)));
  return isRight && hashed !== null;
}

/** The same text for each way to type it: keyboards compose accents differently. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING) throw new ApiError('rate_limited');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    // The next one takes this place, so that nobody who comes now overtakes it.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
