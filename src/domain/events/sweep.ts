import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql } from '../../platform/postgres/db.ts';

/**
 * 90 days: a reader who was away for most of a quarter misses nothing, and deliveries have long ended: the schedule takes under 5 days,
 * and under 20 where a receiver asks for more time again and again.
 */
const KEPT_SECONDS = 90 * 86_400;
/** One statement's share: it holds its locks for milliseconds. */
const CHUNK = 5_000;

// Retention uses transaction marks, not event timestamps: a test payment's clock may be years ahead, and scenario events all date from
// one January. All transactions before a mark had begun by its time.
const addMark = sql<never, { now: Date }>(
  'add_event_mark',
  (p) => `
    INSERT INTO event_marks (at, txid) VALUES (${p.now}, pg_current_xact_id())
    ON CONFLICT (at) DO NOTHING`,
);
const newestMark = sql<{ at: Date; txid: string }, { until: Date }>(
  'newest_event_mark_until',
  (p) => `SELECT at, txid FROM event_marks WHERE at <= ${p.until} ORDER BY at DESC LIMIT 1`,
);
const deleteMarks = sql<never, { before: Date }>(
  'delete_event_marks_before',
  (p) => `DELETE FROM event_marks WHERE at < ${p.before}`,
);

// By each merchant's feed (events_feed), from its old end. What another sweep has locked is skipped. An event that is still to be
// delivered stays, however long a schedule of the operator's own takes: a delivery reads its body from here. Receipts go with their
// events.
const deleteOldEvents = sql<{ id: string }, { txid: string; limit: number }>(
  'delete_old_events',
  (p) => `
    WITH deleted AS (
      DELETE FROM events WHERE ctid = ANY (ARRAY(
        SELECT old.ctid FROM merchants m, LATERAL (
          SELECT e.ctid FROM events e
          WHERE e.merchant_id = m.id AND e.txid < ${p.txid}::xid8 AND NOT EXISTS (
            SELECT FROM deliveries d
            WHERE d.payment_id = e.payment_id AND d.event_id = e.id AND d.status = 'pending')
          ORDER BY e.txid, e.place LIMIT ${p.limit} FOR UPDATE SKIP LOCKED) old
        LIMIT ${p.limit}))
      RETURNING id
    ), receipt AS (
      DELETE FROM receipts USING deleted WHERE event_id = deleted.id
    )
    SELECT id FROM deleted`,
);

/**
 * Deletes events that were recorded more than 90 days ago, in real time and whatever clock their payment has, a chunk at a time;
 * returns how many. The mark that it sets serves the sweeps of 90 days later.
 */
export async function sweepEvents(ctx: Context): Promise<number> {
  await run(ctx.db, addMark, { now: ctx.now() });
  const mark = await runOne(ctx.db, newestMark, { until: addSeconds(ctx.now(), -KEPT_SECONDS) });
  if (mark === null) return 0;
  let swept = 0;
  for (;;) {
    const deleted = await run(ctx.db, deleteOldEvents, { txid: mark.txid, limit: CHUNK });
    swept += deleted.length;
    if (deleted.length < CHUNK) break;
  }
  await run(ctx.db, deleteMarks, { before: mark.at });
  return swept;
}
