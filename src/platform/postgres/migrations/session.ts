import type pg from 'pg';

/** Reports what an operator who watches the release should know; a log's `info` or `warn`. */
export type Report = (level: 'info' | 'warn', message: string, fields: Record<string, unknown>) => void;

/** Why a release stopped without having changed anything more: a person must act. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Another session of the server, as pg_stat_activity shows it. Without its query, which may hold secrets. */
export interface OtherSession {
  readonly pid: number;
  readonly application_name: string;
  /** Null, like the two times, where the role may not see another role's sessions. */
  readonly state: string | null;
  readonly transaction_seconds: number | null;
  readonly query_start: Date | null;
}

const COLUMNS = `pid, application_name, state, query_start,
  round(extract(epoch FROM clock_timestamp() - xact_start))::int AS transaction_seconds`;

/** The sessions that a statement of the session `pid` waits for. */
export async function sessionsBlocking(watcher: pg.Client, pid: number): Promise<OtherSession[]> {
  const query = `SELECT ${COLUMNS} FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1))`;
  return (await watcher.query<OtherSession>(query, [pid])).rows;
}

/** The session that holds the advisory lock `key` of the watcher's database. */
export async function holderOfLock(watcher: pg.Client, key: number): Promise<OtherSession | null> {
  const query = `SELECT ${COLUMNS} FROM pg_stat_activity WHERE pid = (
      SELECT pid FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND (classid, objid, objsubid) = (0, $1, 1)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      LIMIT 1)`;
  return (await watcher.query<OtherSession>(query, [key])).rows[0] ?? null;
}

/** Sessions as one line of text. */
export function sessionsText(sessions: readonly OtherSession[]): string {
  const text = ({ pid, application_name, state, transaction_seconds, query_start }: OtherSession) =>
    [
      `pid ${pid} (${application_name || 'no application_name'})`,
      state,
      transaction_seconds === null ? null : `in a transaction for ${transaction_seconds} s`,
      query_start === null ? null : `query from ${query_start.toISOString()}`,
    ]
      .filter((part) => part !== null)
      .join(', ');
  return sessions.length === 0 ? 'nobody who is still there' : sessions.map(text).join('; ');
}
