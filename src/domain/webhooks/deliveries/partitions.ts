import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { deleteInChunks, isMoving, run, runOne, sql, type Db } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import { RETENTION_SECONDS } from '../endpoints/sweep.ts';
import { createWithRows, dropWithoutKept, withShortLocks } from './retention/move-rows.ts';
import { TABLES, type PartitionedTable } from './retention/tables.ts';

const WEEK_SECONDS = 7 * 86_400;
/**
 * Partitions exist before their week begins; the present week's is never created: the default may hold its
 * rows.
 */
const WEEKS_AHEAD = 3;
/** The constraint by which a default partition states that it holds nothing of a coming week. */
const PROOF = 'lacks_next_week';

const weeklyPartitions = sql<{ name: string }, { table: string }>(
  'weekly_partitions_of_table',
  (p) => `
   SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = ${p.table}::regclass AND c.relname ~ '_[0-9]{8}$'
   ORDER BY 1`,
);

/**
 * Creates the partitions of the coming weeks, drops those that are past the retention period, and deletes old
 * rows from the default ones. Idempotent. A step that fails stops no other; throws afterwards what failed
 * first, for example a lock that it did not get in time: nothing is lost, and the job runs again.
 */
export async function maintainPartitions(ctx: Context): Promise<void> {
  const now = ctx.systemNow();
  const horizon = addSeconds(now, -RETENTION_SECONDS);
  const firstKeptId = firstIdAt('dlv', horizon);
  const errors: unknown[] = [];
  const attempt = (step: () => Promise<void>) =>
    step().catch((error: unknown) => {
      errors.push(error);
    });
  for (const table of TABLES) {
    const present = (await run(ctx.db, weeklyPartitions, { table: table.table })).map(({ name }) => name);
    for (let week = 1; week <= WEEKS_AHEAD; week += 1)
      await attempt(() => createWeek(ctx, table, present, weekOf(addSeconds(now, week * WEEK_SECONDS))));
    await attempt(() => dropOld(ctx, table, present, horizon));
    await attempt(async () => {
      await deleteInChunks(
        async (limit) => (await table.deleteOld(ctx.db, { firstKeptId, horizon, limit }))?.deleted ?? 0,
      );
    });
  }
  if (errors.length > 0) throw errors[0];
}

async function createWeek(
  { db, log }: Context,
  { table, key, storage, ahead }: PartitionedTable,
  present: readonly string[],
  begin: Date,
): Promise<void> {
  const name = nameOf(table, begin);
  if (present.includes(name)) return;
  const first = firstIdAt('dlv', begin);
  const end = firstIdAt('dlv', addSeconds(begin, WEEK_SECONDS));
  const range = `${key} >= '${first}' AND ${key} < '${end}'`;
  const create = `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${first}') TO ('${end}') ${storage}`;
  if ((await runOne(db, ahead, { first, end })) !== null) {
    log.warn('a partition is created with rows that are dated ahead: check the clocks', { partition: name });
    return createWithRows(db, { table, range, create, proof: PROOF });
  }
  await proveDefaultLacks(db, `${table}_default`, range);
  await withShortLocks(db, `${create}; ALTER TABLE ${table}_default DROP CONSTRAINT ${PROOF}`);
}

async function dropOld(
  { db, log }: Context,
  { table, kept }: PartitionedTable,
  present: readonly string[],
  horizon: Date,
): Promise<void> {
  // Names sort as their times do.
  const firstKept = nameOf(table, weekOf(horizon));
  for (const partition of present.filter((one) => one < firstKept)) {
    try {
      await dropWithoutKept(db, { table, partition, kept: kept(partition) });
    } catch (error) {
      if (!isMoving(error)) throw error;
      log.info('partition kept until its next turn: a merchant is being moved to another cell', {
        partition,
      });
      return;
    }
    log.info('partition dropped: its deliveries are past the retention period', { partition });
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
