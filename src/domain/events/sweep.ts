import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { IS_MOVING } from '../moves/steps.ts';
import { deleteInChunks, run, runOne, sql } from '../../platform/postgres/db.ts';

/**
 * 90 days: a reader that was offline for most of a quarter misses nothing. Deliveries have ended long before:
 * the retry schedule takes under 5 days, and under 20 when a receiver asks for later retries each time.
 */
export const EVENTS_KEPT_SECONDS = 90 * 86_400;

// Retention uses transaction marks, not event timestamps: a test clock may be years ahead, and all scenarios
// begin on the same date. All transactions before a mark had begun by its time.
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

/** SQL: whether an event `e` has a delivery that is still to be sent. */
const IS_PENDING = `EXISTS (
            SELECT FROM deliveries d
            WHERE d.payment_id = e.payment_id AND d.event_id = e.id AND d.status = 'pending')`;

// Reads each merchant's feed (events_feed) from its oldest event, and skips rows that another sweep, or a
// redelivery (webhooks/deliveries), has locked. An event with a pending delivery stays, however long the
// operator's own retry schedule takes: the delivery reads its body from here.
const lockOldEvents = sql<{ id: string }, { txid: string; limit: number }>(
  'lock_old_events',
  (p) => `
    SELECT old.id FROM merchants m, LATERAL (
      SELECT e.id FROM events e
      WHERE e.merchant_id = m.id AND e.txid < ${p.txid}::xid8 AND NOT ${IS_PENDING}
      ORDER BY e.txid, e.place LIMIT ${p.limit} FOR UPDATE SKIP LOCKED) old
    WHERE NOT ${IS_MOVING('m.id')} LIMIT ${p.limit}`,
);
// A redelivery may have ended between the snapshot of the statement before and its lock: it asks again.
// Receipts and address requests are deleted with their events.
const deleteOldEvents = sql<{ id: string }, { ids: readonly string[] }>(
  'delete_old_events',
  (p) => `
    WITH deleted AS (
      DELETE FROM events e
      WHERE e.id = ANY (${p.ids}) AND NOT ${IS_PENDING} AND NOT ${IS_MOVING('e.merchant_id')}
      RETURNING e.id
    ), receipt AS (
      DELETE FROM receipts USING deleted WHERE event_id = deleted.id
    ), request AS (
      DELETE FROM address_requests USING deleted WHERE event_id = deleted.id
    )
    SELECT id FROM deleted`,
);

/**
 * Deletes events that were recorded more than 90 days ago by the system clock, whatever test clock their
 * payment has, one chunk at a time. Returns how many. The mark that it adds is used by the sweeps of 90 days
 * later.
 */
export async function sweepEvents(ctx: Context): Promise<number> {
  await run(ctx.db, addMark, { now: ctx.now() });
  const mark = await runOne(ctx.db, newestMark, { until: addSeconds(ctx.now(), -EVENTS_KEPT_SECONDS) });
  if (mark === null) return 0;
  const { txid } = mark;
  const swept = await deleteInChunks((limit) =>
    ctx.db.transaction(async (tx) => {
      const ids = (await run(tx, lockOldEvents, { txid, limit })).map(({ id }) => id);
      return (await run(tx, deleteOldEvents, { ids })).length;
    }),
  );
  await run(ctx.db, deleteMarks, { before: mark.at });
  return swept;
}
