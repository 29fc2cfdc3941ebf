import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { feedHeldSeconds } from './horizon.ts';

/** An open transaction that has a number. */
export interface FeedHolder {
  /** Null: a prepared transaction, which no session owns. */
  readonly pid: number | null;
  /** The name of a prepared transaction. */
  readonly gid: string | null;
  readonly database: string;
  readonly application_name: string | null;
  /** Null where the role may not see another role's sessions (GRANT pg_read_all_stats), as the age is. */
  readonly state: string | null;
  readonly age_seconds: number | null;
  /** True: it holds every feed back. False: a page behind it is read a second time, on the primary. */
  readonly writes_events: boolean;
}

// Of the whole cluster: the first read of a page ends at the oldest open transaction of any database.
const openTransactions = sql<FeedHolder, { limit: number }>(
  'transactions_that_hold_the_feed',
  (p) => `
   SELECT x.pid, prepared.gid,
     coalesce(session.datname, prepared.database)::text AS database, session.application_name, session.state,
     extract(epoch FROM clock_timestamp() - coalesce(session.xact_start, prepared.prepared))::float8
       AS age_seconds,
     EXISTS (
       SELECT FROM pg_locks w
       WHERE w.virtualtransaction = x.virtualtransaction AND w.granted AND w.mode = 'RowExclusiveLock'
         AND w.locktype = 'relation' AND w.relation = 'events'::regclass
         AND w.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ) AS writes_events
   FROM pg_locks x
   LEFT JOIN pg_stat_activity session ON session.pid = x.pid
   LEFT JOIN pg_prepared_xacts prepared ON prepared.transaction = x.transactionid AND x.pid IS NULL
   WHERE x.locktype = 'transactionid' AND x.granted AND x.mode = 'ExclusiveLock'
     AND x.pid IS DISTINCT FROM pg_backend_pid()
   ORDER BY writes_events DESC, age_seconds DESC NULLS LAST LIMIT ${p.limit}`,
);

const MAX_LISTED = 10;

/** The open transactions that hold feeds back, the writers of events first and then the oldest. */
export async function listFeedHolders(connection: Connection): Promise<FeedHolder[]> {
  return run(connection, openTransactions, { limit: MAX_LISTED });
}

/** One that writes events needs milliseconds; the service's own limits end it after less than this. */
const FEED_HELD_TOO_LONG_SECONDS = 60;

/** How long the feed has been held back, and whether that is so long that somebody must look. */
export async function feedCheck(connection: Connection): Promise<{ heldSeconds: number; isLate: boolean }> {
  const heldSeconds = await feedHeldSeconds(connection);
  return { heldSeconds, isLate: heldSeconds > FEED_HELD_TOO_LONG_SECONDS };
}

/** A holder as one line of text for operators. */
export function holderText({ pid, gid, database, application_name, state, ...rest }: FeedHolder): string {
  const who =
    pid === null
      ? `prepared transaction ${gid}`
      : `pid ${pid} (${application_name || 'no application_name'})`;
  const age = rest.age_seconds === null ? 'age unknown' : `open for ${Math.round(rest.age_seconds)} s`;
  const held = rest.writes_events ? 'holds every feed back' : 'holds no feed back, but pages are read twice';
  return [who, `database ${database}`, state, age, held].filter((part) => part !== null).join(', ');
}
