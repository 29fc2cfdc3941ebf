import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { deleteInChunks } from '../../platform/postgres/chunks.ts';
import { run, runOne, sql } from '../../platform/postgres/db.ts';

/**
 * 90 days: a reader who was away for most of a quarter misses nothing, and deliveries have long ended: the schedule takes under 5 days,
 * and under 20 where a receiver asks for more time again and again.
 */
const KEPT_SECONDS = 90 * 86_400;

// An event's id and times cannot say when it was written: a test payment's clock may be years ahead, and every story is told in one
// January. Transactions can: all those before a mark had begun by its time.
const addMark = sql(
  'add_event_mark',
  `INSERT INTO event_marks (at, txid) VALUES ($1, pg_current_xact_id()) ON CONFLICT (at) DO NOTHING`,
);
const newestMark = sql<{ at: Date; txid: string }>(
  'newest_event_mark_until',
  `SELECT at, txid FROM event_marks WHERE at <= $1 ORDER BY at DESC LIMIT 1`,
);
const deleteMarks = sql('delete_event_marks_before', `DELETE FROM event_marks WHERE at < $1`);

// By each merchant's feed, from its old end. What another sweep has locked is passed over. An event that is still to be delivered stays,
// however long a schedule of the operator's own takes: a delivery reads its body from here. Receipts go with their events.
const deleteOldEvents = sql<{ id: string }>(
  'delete_old_events',
  `WITH deleted AS (
     DELETE FROM events WHERE ctid = ANY (ARRAY(
       SELECT old.ctid FROM merchants m, LATERAL (
         SELECT e.ctid FROM events e
         WHERE e.merchant_id = m.id AND e.txid < $1::xid8
           AND NOT EXISTS (SELECT FROM deliveries d WHERE d.payment_id = e.payment_id AND d.event_id = e.id AND d.status = 'pending')
         ORDER BY e.txid, e.place LIMIT $2 FOR UPDATE SKIP LOCKED) old
       LIMIT $2))
     RETURNING id
   ), receipt AS (
     DELETE FROM receipts USING deleted WHERE event_id = deleted.id
   )
   SELECT id FROM deleted`,
);

/**
 * Deletes events that were recorded more than 90 days ago, in real time and whatever clock their payment has, a chunk at a time;
 * answers how many. What it marks now tells the sweeps of 90 days later.
 */
export async function sweepEvents(ctx: Context): Promise<number> {
  await run(ctx.db, addMark, [ctx.now()]);
  const mark = await runOne(ctx.db, newestMark, [addSeconds(ctx.now(), -KEPT_SECONDS)]);
  if (mark === null) return 0;
  const swept = await deleteInChunks(
    async (limit) => (await run(ctx.db, deleteOldEvents, [mark.txid, limit])).length,
  );
  await run(ctx.db, deleteMarks, [mark.at]);
  return swept;
}
