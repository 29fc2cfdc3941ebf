import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { hashApiKey, newToken } from '../../../platform/values/ids.ts';

/**
 * What a challenge is for, and nothing else: signing in without anything before; proving the second factor of
 * a session; adding a passkey to an account; accepting an invitation with one.
 */
export type Ceremony = 'sign-in' | 'prove' | 'register' | 'join';

const CHALLENGE_SECONDS = 300;
/** Each new one deletes two that have ended, so that asking alone never fills the table. */
const SWEPT_WITH_EACH = 2;

// Index: passkey_challenges_by_end.
const DELETE_ENDED = (p: { now: string; limit: string }) => `
    DELETE FROM passkey_challenges WHERE challenge_hash IN (
      SELECT challenge_hash FROM passkey_challenges WHERE expires_at <= ${p.now}
      ORDER BY expires_at LIMIT ${p.limit})`;

const insertChallenge = sql<
  never,
  {
    challengeHash: Buffer;
    ceremony: Ceremony;
    personId: string | null;
    expiresAt: Date;
    now: Date;
    limit: number;
  }
>(
  'insert_passkey_challenge',
  (p) => `
    WITH swept AS (${DELETE_ENDED(p)})
    INSERT INTO passkey_challenges (challenge_hash, ceremony, person_id, expires_at)
    VALUES (${p.challengeHash}, ${p.ceremony}, ${p.personId}, ${p.expiresAt})`,
);

/** Returns a new challenge, in base64url, which can be used once within five minutes: its hash is stored. */
export async function newChallenge(
  ctx: Pick<Context, 'db' | 'now'>,
  ceremony: Ceremony,
  personId: string | null,
): Promise<string> {
  const challenge = newToken();
  const at = ctx.now();
  const challengeHash = hashApiKey(challenge);
  const expiresAt = addSeconds(at, CHALLENGE_SECONDS);
  const row = { challengeHash, ceremony, personId, expiresAt, now: at, limit: SWEPT_WITH_EACH };
  await run(ctx.db, insertChallenge, row);
  return challenge;
}

interface Taken {
  readonly person_id: string | null;
}

const deleteChallenge = sql<Taken, { challengeHash: Buffer; ceremony: Ceremony; now: Date }>(
  'take_passkey_challenge',
  (p) => `
    DELETE FROM passkey_challenges
    WHERE challenge_hash = ${p.challengeHash} AND ceremony = ${p.ceremony} AND expires_at > ${p.now}
    RETURNING person_id`,
);

/**
 * Uses a challenge up, and returns whom it is for; null: it was used, has ended, or is for something else.
 */
export async function takeChallenge(
  { db, now }: Pick<Context, 'db' | 'now'>,
  ceremony: Ceremony,
  challenge: string,
): Promise<Taken | null> {
  return runOne(db, deleteChallenge, { challengeHash: hashApiKey(challenge), ceremony, now: now() });
}

const deleteEnded = sql<{ challenge_hash: Buffer }, { now: Date; limit: number }>(
  'delete_ended_passkey_challenges',
  (p) => `${DELETE_ENDED(p)} RETURNING challenge_hash`,
);

/** Deletes challenges that have ended, `limit` at most, and returns how many. */
export async function deleteEndedChallenges(
  connection: Connection,
  now: Date,
  limit: number,
): Promise<number> {
  return (await run(connection, deleteEnded, { now, limit })).length;
}
