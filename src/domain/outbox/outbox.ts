import { enqueueOnCommit } from '../schedule/enqueue.ts';
import { SCHEDULE } from '../schedule/store.ts';
import { jobRows, type ScheduledJob } from '../schedule/rows.ts';
import type { Job } from '../schedule/job.ts';
import type { TestClock } from '../../platform/clock.ts';
import { recordset, run, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { currentTraceparent } from '../../platform/traces/traces.ts';
import { dispatchEvent } from './jobs.ts';

/** An event as it is stored. Every delivery sends `body`, byte for byte. */
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
  /** The test clock of an isolated payment, else null. */
  readonly testClock: TestClock | null;
}

/** SQL: the columns that `eventRow` fills, and below with their types. */
export const EVENT_COLUMN_NAMES =
  'id, payment_id, merchant_id, sequence, type, callback_url, body, created_at, traceparent';
/** SQL: the columns of `eventRow`. */
export const EVENT_COLUMNS = `id text, payment_id text, merchant_id text, sequence integer, type text,
  callback_url text, body text, created_at timestamptz, traceparent text`;

/** Returns an event as a row of EVENT_COLUMNS; the trace is that of the request that runs. */
export function eventRow(event: EventRecord) {
  return {
    id: event.id,
    payment_id: event.paymentId,
    merchant_id: event.merchantId,
    sequence: event.sequence,
    type: event.type,
    callback_url: event.callbackUrl,
    body: event.body,
    created_at: event.createdAt,
    traceparent: currentTraceparent(),
  };
}

/** Returns the job that dispatches an event. */
export function dispatchJobOf({ id, createdAt, testClock, merchantId }: EventRecord): ScheduledJob {
  return { job: dispatchEvent, key: id, runAt: createdAt, testClock, merchantId };
}

// A payment's events are written one after the other, but not always in the order of their transactions'
// numbers: a transaction that began first may wait for the payment's row until a later one has committed.
// Each event therefore takes at least the txid of its predecessor, so that the feed, which is in the order of
// (txid, place), keeps each payment's sequence. The larger txid is safe: a reader passes it only when that
// transaction and all before it, this one included, have ended. Without a request that runs, the event
// belongs to the trace of its predecessor, and so to that of the request that created the payment.
//
// One statement for all that a set of transitions writes beside its payments: each round trip of a set waits
// once for the process and once for Postgres.
const recordAll = sql<
  never,
  { events: string; jobs: string; cancelled: string | null; keys: readonly string[] }
>(
  'record_events',
  (p) => `
    WITH event AS (
    INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at,
      traceparent, txid)
    SELECT e.id, e.payment_id, e.merchant_id, e.sequence, e.type, e.callback_url, e.body, e.created_at,
      coalesce(e.traceparent, before.traceparent), greatest(pg_current_xact_id(), before.txid)
    FROM json_to_recordset(${p.events}::json) AS e (${EVENT_COLUMNS})
      LEFT JOIN events before ON before.payment_id = e.payment_id AND before.sequence = e.sequence - 1
    ), job AS (
      ${SCHEDULE(p.jobs)}
    )
    DELETE FROM scheduled_jobs WHERE job = ${p.cancelled} AND key = ANY (${p.keys})`,
);

/** What the transitions change in the scheduled jobs beside the dispatch of their events. */
export interface JobChanges {
  readonly scheduled: readonly ScheduledJob[];
  /** Jobs that are deleted, due or not; none of them is scheduled. */
  readonly cancelled: { readonly job: Job; readonly keys: readonly string[] };
}

/**
 * Records events and schedules their dispatch, in the transaction of the transitions that they report, and
 * changes the jobs that these change.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly EventRecord[],
  changes: JobChanges | null = null,
): Promise<void> {
  if (events.length === 0) return;
  const jobs = [...events.map(dispatchJobOf), ...(changes?.scheduled ?? [])];
  await run(tx, recordAll, {
    events: recordset(events.map(eventRow)),
    jobs: recordset(jobRows(jobs)),
    cancelled: changes?.cancelled.job.name ?? null,
    keys: changes?.cancelled.keys ?? [],
  });
  enqueueOnCommit(tx, jobs);
}

const eventsOfPayment = sql<{ body: string }, { paymentId: string }>(
  'events_of_payment',
  (p) => `SELECT body FROM events WHERE payment_id = ${p.paymentId} ORDER BY sequence`,
);

/**
 * Returns the bodies of a payment's events, as deliveries send them, in the order of their sequence. The
 * caller has checked that the payment is the merchant's.
 */
export async function readEventBodies(connection: Connection, paymentId: string): Promise<string[]> {
  return (await run(connection, eventsOfPayment, { paymentId })).map(({ body }) => body);
}
