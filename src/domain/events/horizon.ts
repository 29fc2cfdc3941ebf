import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';

// Which events are final, when some transaction of the cluster stays open. Below the snapshot's xmin every
// transaction has ended; this finds a higher bound, which only the writers of events hold back.
//
// Every INSERT into events holds its lock on the table until its transaction ends, and takes, after it has
// that lock, a txid of at least its transaction's number and the newest number that had ended (the trigger
// events_after_lock). This statement takes its snapshot first and looks at the locks afterwards. A writer
// that had the lock then is counted with its number. One that gets the lock later takes a txid from `newest`
// on. One that had ended before is visible to the statement that reads the page, because its snapshot is
// taken after this statement. So nothing can appear below the bound any more. A writer whose number is not
// assigned yet is there for a moment, and then the bound is xmin.
const horizonOfFeed = sql<{ horizon: string }>(
  'horizon_of_feed',
  `WITH begun AS MATERIALIZED (
     SELECT pg_current_snapshot() AS snapshot
   ), locks AS MATERIALIZED (
     SELECT locktype, virtualtransaction, transactionid FROM pg_locks
     WHERE granted AND (locktype = 'transactionid' AND mode = 'ExclusiveLock'
       OR locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = 'events'::regclass
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
   ), writers AS (
     SELECT x.transactionid FROM locks w
     LEFT JOIN locks x ON x.locktype = 'transactionid' AND x.virtualtransaction = w.virtualtransaction
     WHERE w.locktype = 'relation'
   )
   SELECT CASE
     WHEN EXISTS (SELECT FROM writers WHERE transactionid IS NULL) THEN pg_snapshot_xmin(snapshot)
     ELSE greatest(pg_snapshot_xmin(snapshot), least(
       (pg_snapshot_xmax(snapshot)::text::bigint - 1)::text::xid8,
       (SELECT number FROM pg_snapshot_xip(snapshot) AS number
        WHERE number::xid IN (SELECT transactionid FROM writers) ORDER BY number LIMIT 1)))
   END AS horizon
   FROM begun`,
);

const passNumber = sql<{ number: string | null }>(
  'pass_transaction_number',
  'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_xact_id() END AS number',
);

/**
 * Returns the txid below which a statement that begins later sees every event that there will ever be, on a
 * connection without an open transaction. Open transactions that have written no event do not hold it back.
 * Null on a standby, which does not see the writers' locks.
 */
export async function findHorizon(connection: Connection): Promise<string | null> {
  // A transaction that ends here: the newest number that has ended is then above every event so far.
  const passed = await runOne(connection, passNumber, []);
  if ((passed?.number ?? null) === null) return null;
  const row = await runOne(connection, horizonOfFeed, []);
  if (row === null) throw new Error('the horizon of the feed has no row');
  return row.horizon;
}

const oldestWriter = sql<{ seconds: number }>(
  'oldest_writer_of_events',
  `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - coalesce(xact_start, prepared))), 0)::float8
     AS seconds
   FROM pg_locks l LEFT JOIN pg_stat_activity USING (pid)
   LEFT JOIN pg_prepared_xacts p ON l.virtualtransaction = '-1/' || p.transaction
   WHERE granted AND locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = 'events'::regclass
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);

/** How long the oldest open transaction that has written events holds every feed back, in seconds. */
export async function feedHeldSeconds(connection: Connection): Promise<number> {
  return (await runOne(connection, oldestWriter, []))?.seconds ?? 0;
}
