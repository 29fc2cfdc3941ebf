import { schedule } from '../schedule/store.ts';
import type { TestClock } from '../../platform/clock.ts';
import { run, sql, type Tx } from '../../platform/postgres/db.ts';
import { dispatchEvent } from './jobs.ts';

/** An event as it is stored: `body` is what every delivery of it sends, byte for byte. */
export interface EventRecord {
  readonly id: string;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly sequence: number;
  readonly type: string;
  /** The payment's own webhook URL, which overrides the merchant's. */
  readonly callbackUrl: string | null;
  readonly body: string;
  readonly createdAt: Date;
  /** The clock of the payment's own world; null in the shared one. */
  readonly testClock: TestClock | null;
}

// A payment's events are written one after the other, but not always by transactions in the order of their numbers: one that began
// first may wait for the payment's row until a later one has committed. An event therefore takes at least the number of the one before
// it, so that the feed, which is in the order of (txid, place), keeps each payment's sequence. The larger number breaks nothing there:
// a reader passes it only when that transaction and all before it, this one included, have ended.
const insertEvents = sql(
  'insert_events',
  `INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at, txid)
   SELECT e.*, greatest(pg_current_xact_id(),
     (SELECT before.txid FROM events before WHERE before.payment_id = e.payment_id AND before.sequence = e.sequence - 1))
   FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
     AS e (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at)`,
);

/** Records events and that each is due for delivery, in the transaction of the transitions that caused them. */
export async function recordEvents(tx: Tx, events: readonly EventRecord[]): Promise<void> {
  if (events.length === 0) return;
  await run(tx, insertEvents, [
    events.map(({ id }) => id),
    events.map(({ paymentId }) => paymentId),
    events.map(({ merchantId }) => merchantId),
    events.map(({ sequence }) => sequence),
    events.map(({ type }) => type),
    events.map(({ callbackUrl }) => callbackUrl),
    events.map(({ body }) => body),
    events.map(({ createdAt }) => createdAt),
  ]);
  await schedule(
    tx,
    events.map(({ id, createdAt, testClock }) => ({
      job: dispatchEvent,
      key: id,
      runAt: createdAt,
      testClock,
    })),
  );
}
