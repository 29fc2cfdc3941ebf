import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';

/** Deliveries and their attempts are kept for so long, and at most a week longer: the log's answer to "where is my webhook?". */
const KEPT_SECONDS = 30 * 86_400;
const WEEK_SECONDS = 7 * 86_400;
/** Partitions are there before their week begins; the present one is never made, because the default may hold some of it already. */
const WEEKS_AHEAD = 3;
/** Whoever reads or writes meanwhile waits no longer than this for the catalogue's lock; a try that does not get it comes again. */
const LOCK_TIMEOUT_MS = 200;
const BATCH = 5_000;
const PROOF = 'lacks_next_week';

const TABLES = [
  // Events are kept for longer, and one that is replayed gets a delivery with an id that is old already: it goes by its own time. In a
  // world of its own a payment's time says nothing of its age (every story is told in one January): its deliveries go with their events.
  {
    table: 'deliveries',
    key: 'id',
    storage: 'WITH (fillfactor = 80)',
    isOld: `status <> 'pending' AND CASE WHEN starts_with(endpoint_id, 'pay_') THEN NOT EXISTS (SELECT FROM events e WHERE e.id = event_id)
      ELSE created_at < $3 END`,
  },
  {
    table: 'delivery_attempts',
    key: 'delivery_id',
    storage: '',
    isOld: 'started_at < $3 AND NOT EXISTS (SELECT FROM deliveries d WHERE d.id = delivery_id)',
  },
] as const;

const partitionsOf = sql<{ name: string }>(
  'partitions_of',
  `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = $1::regclass AND c.relname ~ '_[0-9]{8}$' ORDER BY 1`,
);

/**
 * Makes the partitions of the next weeks, drops those whose every row is too old, and takes old rows out of the default ones. Doing it
 * again changes nothing. Throws when a lock could not be had in time: nothing is lost, it is due again.
 */
export async function keepPartitions(ctx: Context): Promise<void> {
  const now = ctx.systemNow();
  const horizon = addSeconds(now, -KEPT_SECONDS);
  for (const { table, key, storage, isOld } of TABLES) {
    const present = (await run(ctx.db, partitionsOf, [table])).map(({ name }) => name);
    for (let week = 1; week <= WEEKS_AHEAD; week += 1) {
      const begin = weekOf(addSeconds(now, week * WEEK_SECONDS));
      const name = nameOf(table, begin);
      if (present.includes(name)) continue;
      const [first, end] = [begin, addSeconds(begin, WEEK_SECONDS)].map((time) => firstIdAt('dlv', time));
      await proveDefaultLacks(ctx.db, `${table}_default`, `${key} >= '${first}' AND ${key} < '${end}'`);
      await withShortLocks(
        ctx.db,
        `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${first}') TO ('${end}') ${storage};
         ALTER TABLE ${table}_default DROP CONSTRAINT ${PROOF}`,
      );
    }
    // By name, which sorts as its time does.
    const lastKept = nameOf(table, weekOf(horizon));
    for (const name of present.filter((one) => one < lastKept)) {
      await withShortLocks(ctx.db, `DROP TABLE ${name}`);
      ctx.log.info('old deliveries dropped', { partition: name });
    }
    await emptyDefault(ctx.db, `${table}_default`, { key, isOld }, horizon);
  }
}

/** The Monday, 00:00 UTC, of the week in which `time` is. */
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
 * Has the default partition say that it holds nothing of a range. Otherwise Postgres reads all of it when the range gets a partition,
 * under a lock that nobody else can read or write beside; VALIDATE reads it beside them. What a run that failed leaves is of a week to
 * come, and goes with the next try.
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

async function emptyDefault(
  db: Db,
  table: string,
  { key, isOld }: { key: string; isOld: string },
  horizon: Date,
): Promise<void> {
  const statement = sql<{ gone: number }>(
    `empty_${table}`,
    `WITH old AS (SELECT ctid FROM ${table} WHERE ${key} < $1 AND ${isOld} ORDER BY ${key} LIMIT $2),
       gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1)
     SELECT count(*)::int AS gone FROM gone`,
  );
  for (;;) {
    const [row] = await run(db, statement, [firstIdAt('dlv', horizon), BATCH, horizon]);
    if ((row?.gone ?? 0) < BATCH) return;
  }
}
