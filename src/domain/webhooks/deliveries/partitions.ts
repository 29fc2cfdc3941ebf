import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import { DELETE_BATCH, deleteInBatches, RETENTION_SECONDS } from '../endpoints/sweep.ts';

const WEEK_SECONDS = 7 * 86_400;
/**
 * Partitions exist before their week begins; the present week's is never created: the default may hold its
 * rows.
 */
const WEEKS_AHEAD = 3;
/**
 * Readers and writers wait at most this long for the catalogue's lock; a run that does not get it runs again.
 */
const LOCK_TIMEOUT_MS = 200;
/** The constraint by which a default partition states that it holds nothing of a coming week. */
const PROOF = 'lacks_next_week';

interface DeleteParams {
  /** Ids below it are older than the retention period. */
  readonly firstKeptId: string;
  readonly horizon: Date;
}

// A delivery of an old event that was replayed has an old id: its own time decides. The time of a payment
// with a test clock says nothing of its age (scenario events all date from one January): its deliveries go
// with its events.
const deleteOldDeliveries = sql<{ deleted: number }, DeleteParams>(
  'delete_old_deliveries_of_default',
  (p) => `
   WITH old AS (
     SELECT ctid FROM deliveries_default
     WHERE id < ${p.firstKeptId} AND status <> 'pending'
       AND CASE WHEN starts_with(endpoint_id, 'pay_')
         THEN NOT EXISTS (SELECT FROM events e WHERE e.id = event_id)
         ELSE created_at < ${p.horizon} END
     ORDER BY id LIMIT ${DELETE_BATCH}
   ),
   deleted AS (
     DELETE FROM deliveries_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1
   )
   SELECT count(*)::int AS deleted FROM deleted`,
);
const deleteOldAttempts = sql<{ deleted: number }, DeleteParams>(
  'delete_old_attempts_of_default',
  (p) => `
   WITH old AS (
     SELECT ctid FROM delivery_attempts_default
     WHERE delivery_id < ${p.firstKeptId} AND started_at < ${p.horizon}
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.id = delivery_id)
     ORDER BY delivery_id LIMIT ${DELETE_BATCH}
   ),
   deleted AS (
     DELETE FROM delivery_attempts_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1
   )
   SELECT count(*)::int AS deleted FROM deleted`,
);

interface PartitionedTable {
  readonly table: string;
  /** The column that decides on the partition. */
  readonly key: string;
  readonly storage: string;
  readonly deleteOld: typeof deleteOldDeliveries;
}

const TABLES: readonly PartitionedTable[] = [
  { table: 'deliveries', key: 'id', storage: 'WITH (fillfactor = 80)', deleteOld: deleteOldDeliveries },
  { table: 'delivery_attempts', key: 'delivery_id', storage: '', deleteOld: deleteOldAttempts },
];

const weeklyPartitions = sql<{ name: string }, { table: string }>(
  'weekly_partitions_of_table',
  (p) => `
   SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = ${p.table}::regclass AND c.relname ~ '_[0-9]{8}$'
   ORDER BY 1`,
);

/**
 * Creates the partitions of the coming weeks, drops those whose every row is past the retention period, and
 * deletes old rows from the default ones. Idempotent. Throws when it cannot get a lock in time: nothing is
 * lost, and the job runs again.
 */
export async function maintainPartitions(ctx: Context): Promise<void> {
  const now = ctx.systemNow();
  const horizon = addSeconds(now, -RETENTION_SECONDS);
  const firstKeptId = firstIdAt('dlv', horizon);
  for (const table of TABLES) {
    const present = (await run(ctx.db, weeklyPartitions, { table: table.table })).map(({ name }) => name);
    await createComing(ctx.db, table, present, now);
    await dropOld(ctx, table, present, horizon);
    await deleteInBatches(async () => {
      const [row] = await run(ctx.db, table.deleteOld, { firstKeptId, horizon });
      return row?.deleted ?? 0;
    });
  }
}

async function createComing(
  db: Db,
  { table, key, storage }: PartitionedTable,
  present: readonly string[],
  now: Date,
): Promise<void> {
  for (let week = 1; week <= WEEKS_AHEAD; week += 1) {
    const begin = weekOf(addSeconds(now, week * WEEK_SECONDS));
    const name = nameOf(table, begin);
    if (present.includes(name)) continue;
    const [first, end] = [begin, addSeconds(begin, WEEK_SECONDS)].map((time) => firstIdAt('dlv', time));
    await proveDefaultLacks(db, `${table}_default`, `${key} >= '${first}' AND ${key} < '${end}'`);
    await withShortLocks(
      db,
      `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${first}') TO ('${end}') ${storage};
       ALTER TABLE ${table}_default DROP CONSTRAINT ${PROOF}`,
    );
  }
}

async function dropOld(
  { db, log }: Context,
  { table }: PartitionedTable,
  present: readonly string[],
  horizon: Date,
): Promise<void> {
  // Names sort as their times do.
  const firstKept = nameOf(table, weekOf(horizon));
  for (const name of present.filter((one) => one < firstKept)) {
    await withShortLocks(db, `DROP TABLE ${name}`);
    log.info('partition dropped: its deliveries are past the retention period', { partition: name });
  }
}

/** The Monday, 00:00 UTC, of the week of `time`. */
function weekOf(time: Date): Date {
  const monday = new Date(time);
  monday.setUTCHours(0, 0, 0, 0);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday;
}

function nameOf(table: string, week: Date): string {
  return `${table}_${week.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * Makes the default partition state that it holds nothing of a range. Otherwise Postgres reads all of it when
 * the range gets a partition, under a lock that excludes every reader and writer; VALIDATE reads it beside
 * them. The constraint that a failed run leaves behind is of a coming week, and the next run drops it.
 */
async function proveDefaultLacks(db: Db, table: string, range: string): Promise<void> {
  await withShortLocks(
    db,
    `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${PROOF};
     ALTER TABLE ${table} ADD CONSTRAINT ${PROOF} CHECK (NOT (${range})) NOT VALID`,
  );
  await withShortLocks(db, `ALTER TABLE ${table} VALIDATE CONSTRAINT ${PROOF}`);
}

async function withShortLocks(db: Db, statement: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await tx.raw(statement);
  });
}
