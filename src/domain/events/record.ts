import { schedule } from '../due-work/store.ts';
import type { WorldClock } from '../../platform/clock.ts';
import { run, sql, type Tx } from '../../platform/db.ts';
import { fanOutEvent } from './jobs.ts';

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
  readonly clock: WorldClock | null;
}

const insertEvents = sql(
  'insert_events',
  `INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])`,
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
    events.map(({ id, createdAt, clock }) => ({ job: fanOutEvent, key: id, runAt: createdAt, clock })),
  );
}
