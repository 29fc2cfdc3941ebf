import type { Mode } from '../../api/endpoint.ts';
import type { Role } from '../rights/roles.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { hashApiKey, newId, newToken } from '../../../platform/values/ids.ts';
import { FACTORS, type Factors } from './accounts.ts';

const IDLE_SECONDS = 12 * 3_600;
export const LONGEST_SESSION_SECONDS = 7 * 86_400;
/** Between the password and the second factor, a first one that has to be set up included. */
const BEGUN_SECONDS = 1_800;
/** What is dangerous asks for the second factor again. */
const FRESH_SECONDS = 600;
/** A person signed in at more places at once has the oldest ended. */
const MOST_SESSIONS = 20;
/** A link that signs in by itself can be used as long. */
export const LINK_SECONDS = 86_400;
/** How often a use is written down. */
const SEEN_EVERY_SECONDS = 60;

/** A merchant that a person belongs to. */
export interface Membership {
  readonly merchant_id: string;
  readonly name: string;
  readonly mode: Mode;
  readonly role: Role;
  readonly is_suspended: boolean;
}

/** Who is signed in. */
export interface Session extends Factors {
  readonly id: string;
  readonly person_id: string;
  readonly email: string;
  readonly created_at: Date;
  readonly seen_at: Date;
  /** When the second factor was proven last; null: not yet, and only that may be done. */
  readonly factor_at: Date | null;
  readonly memberships: readonly Membership[];
}

/** Where a session is used. */
export interface Place {
  readonly address: string;
  /** User-Agent. */
  readonly agent: string;
}

export interface Since {
  readonly idleSince: Date;
  readonly begunSince: Date;
  readonly oldest: Date;
}

/** The times by which a session is judged. */
export const sinceAt = (now: Date): Since => ({
  idleSince: addSeconds(now, -IDLE_SECONDS),
  begunSince: addSeconds(now, -BEGUN_SECONDS),
  oldest: addSeconds(now, -LONGEST_SESSION_SECONDS),
});

/** SQL: whether a session `s` is in force. */
export const IS_IN_FORCE = (p: { [name in keyof Since]: string }) => `NOT s.is_link
      AND s.seen_at > ${p.idleSince} AND s.created_at > ${p.oldest}
      AND (s.factor_at IS NOT NULL OR s.created_at > ${p.begunSince})`;

const sessionsOfTokens = sql<Session & { token_hash: string }, { tokenHashes: readonly string[] } & Since>(
  'sessions_of_tokens',
  (p) => `
    SELECT s.id, s.person_id, who.email, s.created_at, s.seen_at, s.factor_at,
      ${FACTORS},
      (SELECT coalesce(json_agg(json_build_object(
           'merchant_id', m.id, 'name', m.name, 'mode', m.mode, 'role', b.role,
           'is_suspended', m.suspended_at IS NOT NULL) ORDER BY m.mode, m.name, m.id), '[]')
       FROM memberships b JOIN merchants m ON m.id = b.merchant_id
       WHERE b.person_id = s.person_id) AS memberships,
      encode(s.token_hash, 'hex') AS token_hash
    FROM person_sessions s JOIN people who ON who.id = s.person_id
    WHERE s.token_hash = ANY (
        ARRAY (SELECT decode(hash, 'hex') FROM unnest(${p.tokenHashes}::text[]) AS hash))
      AND ${IS_IN_FORCE(p)}`,
);

/** The sessions of tokens by their hashes, in hex; a hash of none that is in force is absent. */
export async function findSessions(
  connection: Connection,
  tokenHashes: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Session>> {
  const found = await run(connection, sessionsOfTokens, { tokenHashes, ...sinceAt(now) });
  return new Map(found.map(({ token_hash, ...session }) => [token_hash, session]));
}

/** Whether the second factor was proven so lately that what is dangerous may be done. */
export function isFresh({ factor_at }: Session, now: Date): boolean {
  return factor_at !== null && addSeconds(factor_at, FRESH_SECONDS) > now;
}

const insertSession = sql<
  never,
  {
    id: string;
    tokenHash: Buffer;
    personId: string;
    now: Date;
    factorAt: Date | null;
    isLink: boolean;
  } & Place
>(
  'insert_person_session',
  (p) => `
    INSERT INTO person_sessions (
      id, token_hash, person_id, created_at, seen_at, factor_at, address, agent, is_link
    ) VALUES (
      ${p.id}, ${p.tokenHash}, ${p.personId}, ${p.now}, ${p.now}, ${p.factorAt}, ${p.address}, ${p.agent},
      ${p.isLink}
    )`,
);

// Those that only the password began go first: who knows it alone must not end what its owner has begun.
const endOldest = sql<never, { personId: string; oldest: Date; most: number }>(
  'end_oldest_sessions',
  (p) => `
    DELETE FROM person_sessions WHERE person_id = ${p.personId} AND (created_at <= ${p.oldest} OR id IN (
      SELECT id FROM person_sessions WHERE person_id = ${p.personId}
      ORDER BY factor_at IS NOT NULL DESC, seen_at DESC, id DESC OFFSET ${p.most}))`,
);

/**
 * Begins a session, or a link that becomes one, and returns its token, of which only the hash is stored. The
 * caller has locked the person: a change of the password ends what began before it.
 */
export async function insertNewSession(
  tx: Tx,
  personId: string,
  place: Place,
  { now, factorAt = null, isLink = false }: { now: Date; factorAt?: Date | null; isLink?: boolean },
): Promise<string> {
  const token = newToken();
  const oldest = addSeconds(now, -LONGEST_SESSION_SECONDS);
  await run(tx, endOldest, { personId, oldest, most: MOST_SESSIONS - 1 });
  const row = { id: newId('ses', now), tokenHash: hashApiKey(token), personId, now, factorAt, isLink };
  await run(tx, insertSession, { ...row, ...place });
  return token;
}

const proveSession = sql<{ id: string }, { sessionId: string; tokenHash: Buffer; now: Date }>(
  'prove_session',
  (p) => `
    UPDATE person_sessions SET token_hash = ${p.tokenHash}, factor_at = ${p.now}, seen_at = ${p.now}
    WHERE id = ${p.sessionId} RETURNING id`,
);

/**
 * Writes down that a session's second factor was proven, and returns the session's new token: one that was
 * planted before is worth nothing. Null: the session was ended meanwhile.
 */
export async function renewSession(tx: Tx, sessionId: string, now: Date): Promise<string | null> {
  const token = newToken();
  const proven = await runOne(tx, proveSession, { sessionId, tokenHash: hashApiKey(token), now });
  return proven === null ? null : token;
}

const seeSession = sql<never, { sessionId: string; now: Date; seenBefore: Date } & Place>(
  'see_person_session',
  (p) => `
    UPDATE person_sessions SET seen_at = ${p.now}, address = ${p.address}, agent = ${p.agent}
    WHERE id = ${p.sessionId} AND seen_at < ${p.seenBefore}`,
);

/** Writes down that a session is used, and where, once a minute. */
export async function seen(connection: Connection, session: Session, place: Place, now: Date): Promise<void> {
  const seenBefore = addSeconds(now, -SEEN_EVERY_SECONDS);
  if (session.seen_at >= seenBefore) return;
  await run(connection, seeSession, { sessionId: session.id, now, seenBefore, ...place });
}

const deleteEnded = sql<{ id: string }, Since & { linksSince: Date; limit: number }>(
  'delete_ended_sessions',
  (p) => `
    DELETE FROM person_sessions WHERE id IN (
      SELECT s.id FROM person_sessions s
      WHERE CASE WHEN s.is_link THEN s.created_at <= ${p.linksSince} ELSE NOT (${IS_IN_FORCE(p)}) END
      LIMIT ${p.limit} FOR UPDATE SKIP LOCKED)
    RETURNING id`,
);

/** Deletes sessions and links that have ended, `limit` at most, and returns how many. */
export async function deleteEndedSessions(connection: Connection, now: Date, limit: number): Promise<number> {
  const linksSince = addSeconds(now, -LINK_SECONDS);
  return (await run(connection, deleteEnded, { ...sinceAt(now), linksSince, limit })).length;
}
