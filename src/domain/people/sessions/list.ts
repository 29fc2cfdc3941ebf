import { byPerson, recordOfPerson } from './record.ts';
import { LONGEST_SESSION_SECONDS, type Place, type Session } from './store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** A place where a person is signed in. */
export interface ListedSession extends Place {
  readonly id: string;
  readonly created_at: Date;
  readonly seen_at: Date;
}

const sessionsOfPerson = sql<ListedSession, { personId: string; oldest: Date }>(
  'sessions_of_person',
  (p) => `
    SELECT id, created_at, seen_at, address, agent FROM person_sessions
    WHERE person_id = ${p.personId} AND created_at > ${p.oldest} AND factor_at IS NOT NULL
    ORDER BY seen_at DESC, id DESC`,
);

/** Returns where a person is signed in, or was until the session became idle; the latest use first. */
export async function listSessions(
  connection: Connection,
  personId: string,
  now: Date,
): Promise<ListedSession[]> {
  const oldest = addSeconds(now, -LONGEST_SESSION_SECONDS);
  return run(connection, sessionsOfPerson, { personId, oldest });
}

const deleteSession = sql<{ address: string; was_proven: boolean }, { personId: string; sessionId: string }>(
  'end_person_session',
  (p) => `
    DELETE FROM person_sessions WHERE id = ${p.sessionId} AND person_id = ${p.personId}
    RETURNING address, factor_at IS NOT NULL AS was_proven`,
);

/**
 * Ends one of a person's sessions, their own one or another, and writes down that they did, unless its second
 * factor was still to come. False: they have none of that id.
 */
export async function endSession(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { id, person_id: personId }: Pick<Session, 'id' | 'person_id'>,
  sessionId: string,
  { address }: Pick<Place, 'address'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const ended = await runOne(tx, deleteSession, { personId, sessionId });
    if (ended === null) return false;
    const command = sessionId === id ? 'signed out' : 'session ended';
    // Where the session was used last: its person knows it by that.
    const details = { session: sessionId, used_from: ended.address };
    const who = byPerson(personId, { address });
    if (ended.was_proven) await recordOfPerson(tx, personId, { at: now(), ...who, command, details });
    return true;
  });
}

const deleteSessions = sql<never, { personId: string }>(
  'end_sessions_of_person',
  (p) => `DELETE FROM person_sessions WHERE person_id = ${p.personId}`,
);

/** Ends all sessions of a person, and their links. The caller has locked the person. */
export async function endSessions(tx: Tx, personId: string): Promise<void> {
  await run(tx, deleteSessions, { personId });
}
