import { hash } from 'node:crypto';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import type { Context } from '../../../platform/context.ts';

/** Guesses that are free at once, and how long one more takes. */
interface Bucket {
  readonly capacity: number;
  readonly everySeconds: number;
}

/**
 * A mistyped password is free ten times; then one guess a minute is 1,440 a day, for all web processes
 * together. A code has a million values, of which three are right at a time: one guess in five minutes.
 * Mails with links go three at once, then one in ten minutes: a mailbox is not flooded. A PIN has ten
 * thousand values at least, and only who holds a device of the till can guess: one in a quarter of an hour.
 * Test mails go to who asks for them, twenty at once, for whoever looks at all of a language.
 */
const BUCKETS = {
  password: { capacity: 10, everySeconds: 60 },
  code: { capacity: 5, everySeconds: 300 },
  mail: { capacity: 3, everySeconds: 600 },
  pin: { capacity: 5, everySeconds: 900 },
  testMail: { capacity: 20, everySeconds: 600 },
} as const satisfies Record<string, Bucket>;

/**
 * As many rows at most of each half. Two accounts in one slot share their guesses: with 1,000 of them it is
 * rare. Devices that are known have a half of their own, in which a stranger has no slot: whoever guesses the
 * passwords of made-up accounts until every slot is empty keeps nobody out who has signed in before.
 */
const SLOTS = 65_536;

interface Take {
  readonly slot: number;
  readonly capacity: number;
  readonly everySeconds: number;
  readonly now: Date;
}

const takeToken = sql<{ slot: number }, Take>(
  'take_sign_in_token',
  (p) => `
    INSERT INTO sign_in_buckets AS bucket (slot, tokens, at)
    VALUES (${p.slot}, ${p.capacity}::real - 1, ${p.now})
    ON CONFLICT (slot) DO UPDATE SET at = excluded.at, tokens = least(${p.capacity}::real, bucket.tokens
        + greatest(0, extract(epoch FROM excluded.at - bucket.at)) / ${p.everySeconds}::real) - 1
      WHERE least(${p.capacity}::real, bucket.tokens
        + greatest(0, extract(epoch FROM excluded.at - bucket.at)) / ${p.everySeconds}::real) >= 1
    RETURNING slot`,
);

/**
 * Takes one of the guesses of `whose`; false: none is left for now. A device from which the account has
 * signed in before has guesses of its own, so that a stranger's guesses never keep its owner out.
 */
export async function takeGuess(
  { db, config, now }: Pick<Context, 'db' | 'config' | 'now'>,
  kind: keyof typeof BUCKETS,
  whose: string,
  knownDevice: Buffer | null,
): Promise<boolean> {
  const bucket = bucketOf(config, kind, whose, knownDevice);
  return (await runOne(db, takeToken, { ...bucket, now: now() })) !== null;
}

const returnToken = sql<never, Pick<Take, 'slot' | 'capacity'>>(
  'return_sign_in_token',
  (p) => `
    UPDATE sign_in_buckets SET tokens = least(${p.capacity}::real, tokens + 1) WHERE slot = ${p.slot}`,
);

/** Gives back what a right guess has taken: who knows the secret may use it as often as they like. */
export async function returnGuess(
  { db, config }: Pick<Context, 'db' | 'config'>,
  kind: keyof typeof BUCKETS,
  whose: string,
  knownDevice: Buffer | null,
): Promise<void> {
  const { slot, capacity } = bucketOf(config, kind, whose, knownDevice);
  await run(db, returnToken, { slot, capacity });
}

function bucketOf(
  { rateLimitScale }: Context['config'],
  kind: keyof typeof BUCKETS,
  whose: string,
  knownDevice: Buffer | null,
): Omit<Take, 'now'> {
  const { capacity, everySeconds } = BUCKETS[kind];
  const device = knownDevice === null ? 'any' : knownDevice.toString('hex');
  const digest = hash('sha256', `${kind} ${whose} ${device}`, 'buffer').readUInt32BE() % SLOTS;
  const slot = knownDevice === null ? digest : SLOTS + digest;
  return { slot, capacity: Math.max(1, Math.floor(capacity * rateLimitScale)), everySeconds };
}
