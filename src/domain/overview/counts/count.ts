import { findHorizon } from '../../events/horizon.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import type { Context } from '../../../platform/context.ts';
import { deleteInChunks, run, sql, type Db, type Tx } from '../../../platform/postgres/db.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { ADDED, EVENTS_BEHIND, PAGE_EVENTS, TALLIED, TALLY } from './tally.ts';

// Every number is exact. A merchant's feed is counted from its position up to the horizon: below it no event
// can appear any more (events/horizon.ts). The numbers and the position commit together, under the lock of
// the position, so an event is counted once, whoever runs at the same moment. Who reads adds the events
// behind the position (read.ts).

/** Merchants of one transaction. */
const MERCHANTS = 10;
/** Transactions of one run, each some 100 ms at most: what is left is counted by the next run. */
const MOST_STEPS = 60;
/** The longest range of the charts is 90 days; the events of more are gone. */
const KEPT_SECONDS = 100 * 86_400;

// Who arrives from another cell brings a position along.
const insertPositions = sql(
  'insert_count_positions',
  `INSERT INTO payment_count_positions (merchant_id, txid, place)
   SELECT id, '0', 0 FROM merchants m
   WHERE NOT EXISTS (SELECT FROM payment_count_positions c WHERE c.merchant_id = m.id)
     AND NOT ${IS_MOVING('m.id')}
   ON CONFLICT DO NOTHING`,
);

// What it reads of the feed only says whether to look: the next statement reads it again. One that another
// run has locked is counted there.
const lockPositions = sql<{ merchant_id: string }, { after: string; horizon: string }>(
  'lock_count_positions',
  (p) => `
    SELECT m.merchant_id FROM payment_count_positions m
    WHERE m.merchant_id > ${p.after} AND EXISTS (${EVENTS_BEHIND('m')} AND e.txid < ${p.horizon}::xid8)
    ORDER BY m.merchant_id LIMIT ${MERCHANTS} FOR UPDATE SKIP LOCKED`,
);

const countPages = sql<{ events: number }, { ids: readonly string[]; horizon: string }>(
  'count_pages_of_feeds',
  (p) => `
   WITH page AS MATERIALIZED (
     SELECT m.merchant_id, e.* FROM payment_count_positions m CROSS JOIN LATERAL (
       ${EVENTS_BEHIND('m')} AND e.txid < ${p.horizon}::xid8
       ORDER BY e.txid, e.place LIMIT ${PAGE_EVENTS}
     ) e WHERE m.merchant_id = ANY (${p.ids})
   ), ${TALLY}, counted AS (
     INSERT INTO payment_counts AS c (${TALLIED}) SELECT ${TALLIED} FROM tally
     ON CONFLICT (merchant_id, quarter, coin) DO UPDATE SET ${ADDED}
   ), moved AS (
     UPDATE payment_count_positions m SET txid = last.txid, place = last.place
     FROM (
       SELECT DISTINCT ON (merchant_id) merchant_id, txid, place FROM page
       ORDER BY merchant_id, txid DESC, place DESC
     ) last WHERE last.merchant_id = m.merchant_id
   )
   SELECT count(*)::int AS events FROM page`,
);

/**
 * Counts what the feeds of merchants have beyond their positions, in steps, and returns how many events. A
 * backlog is counted by several runs.
 */
export async function countOnce({ db }: Pick<Context, 'db'>): Promise<number> {
  await run(db, insertPositions, []);
  const horizon = await findHorizon(db);
  if (horizon === null) return 0;
  let [events, after] = [0, ''];
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const counted = await countStep(db, after, horizon);
    // At the end of the merchants those that had more than a page come once more.
    if (counted === null && after === '') break;
    events += counted?.events ?? 0;
    after = counted?.last ?? '';
  }
  return events;
}

/** Counts a page of each of the next merchants after one; null: none of them has anything. */
function countStep(db: Db, after: string, horizon: string): Promise<{ last: string; events: number } | null> {
  return db.transaction(async (tx: Tx) => {
    const ids = (await run(tx, lockPositions, { after, horizon })).map(({ merchant_id }) => merchant_id);
    const last = ids.at(-1);
    if (last === undefined) return null;
    const [row] = await run(tx, countPages, { ids, horizon });
    return { last, events: row?.events ?? 0 };
  });
}

const deleteOld = sql<{ deleted: number }, { before: Date; limit: number }>(
  'delete_old_payment_counts',
  (p) => `
    WITH deleted AS (
      DELETE FROM payment_counts WHERE (merchant_id, quarter, coin) IN (
        SELECT old.merchant_id, old.quarter, old.coin FROM merchants m CROSS JOIN LATERAL (
          SELECT merchant_id, quarter, coin FROM payment_counts
          WHERE merchant_id = m.id AND quarter < ${p.before} LIMIT ${p.limit}
        ) old LIMIT ${p.limit})
      RETURNING 1
    )
    SELECT count(*)::int AS deleted FROM deleted`,
);

/** Deletes counts of more than 100 days ago; returns how many rows. */
export async function sweepCounts(ctx: Pick<Context, 'db' | 'now'>): Promise<number> {
  const before = addSeconds(ctx.now(), -KEPT_SECONDS);
  return deleteInChunks(async (limit) => (await run(ctx.db, deleteOld, { before, limit }))[0]?.deleted ?? 0);
}

const forgetCounts = sql('forget_payment_counts', 'DELETE FROM payment_counts');
const forgetPositions = sql('forget_count_positions', 'DELETE FROM payment_count_positions');

/** Lets all be counted again: the feed begins a new epoch, in which positions of before mean nothing. */
export async function forgetAllCounts(tx: Tx): Promise<void> {
  await run(tx, forgetCounts, []);
  await run(tx, forgetPositions, []);
}
