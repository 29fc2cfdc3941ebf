import { LONGEST_SESSION_SECONDS, type Place } from './store.ts';
import { addSeconds } from '../../../platform/clock.ts';
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

const deleteSession = sql<{ id: string }, { personId: string; sessionId: string }>(
  'end_person_session',
  (p) => `
    DELETE FROM person_sessions WHERE id = ${p.sessionId} AND person_id = ${p.personId} RETURNING id`,
);

/** Ends one of a person's sessions; false: they have none of that id. */
export async function endSession(
  connection: Connection,
  personId: string,
  sessionId: string,
): Promise<boolean> {
  return (await runOne(connection, deleteSession, { personId, sessionId })) !== null;
}

const deleteSessions = sql<never, { personId: string }>(
  'end_sessions_of_person',
  (p) => `DELETE FROM person_sessions WHERE person_id = ${p.personId}`,
);

/** Ends all sessions of a person, and their links. The caller has locked the person. */
export async function endSessions(tx: Tx, personId: string): Promise<void> {
  await run(tx, deleteSessions, { personId });
}
