import { dispatchEvent } from '../outbox/jobs.ts';
import { sendAddressRequest, sendReceipt } from '../receipts/jobs.ts';
import { requestReasonOf, type ReportedMoney } from '../receipts/request-data.ts';
import { createAddressRequests, createReceipts, type NewAddressRequest } from '../receipts/store.ts';
import { autopayPayment } from '../sandbox/customer/jobs.ts';
import { ensureScheduled, finish, schedule } from '../schedule/store.ts';
import type { ScheduledJob } from '../schedule/rows.ts';
import { createDeliveries } from '../webhooks/deliveries/create.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { pipelined } from '../../platform/postgres/transactions/pipelined.ts';
import { transact } from '../../platform/postgres/transactions/transact.ts';
import { startSpan } from '../../platform/traces/traces.ts';
import type { EventType } from '../../sdk/event-types.ts';

interface DispatchedEvent extends ReportedMoney {
  readonly id: string;
  readonly payment_id: string;
  readonly merchant_id: string;
  readonly created_at: Date;
  readonly has_email: boolean;
  readonly traceparent: string | null;
}

const eventsToDispatch = sql<DispatchedEvent, { ids: readonly string[] }>(
  'events_to_dispatch',
  (p) => `
    SELECT e.id, e.type, e.payment_id, e.merchant_id, e.created_at, e.traceparent,
      p.customer_email IS NOT NULL AS has_email, e.body::json #>> '{data,checkout,status}' AS status,
      p.exceptions, p.policy, p.amount_received
    FROM events e JOIN payments p ON p.id = e.payment_id
    WHERE e.id = ANY (${p.ids})`,
);

/** If the disk does not get it, the events are dispatched again; what is sent waits for the disk itself. */
const LOST_IS_REPEATED = { waitsForDisk: false };

/**
 * Dispatches recorded events in one transaction: creates their deliveries, and schedules the customer's mails
 * and, with autopay, the simulated customer. The code that records an event knows none of them. A second
 * dispatch of an event adds nothing: deliveries have unique keys, a mail is sent once, and autopay pays once.
 * When `receiver` is not null, every event is delivered to that URL.
 */
export async function dispatchEvents(
  ctx: Context,
  eventIds: readonly string[],
  receiver: string | null = null,
): Promise<void> {
  const startedAt = ctx.now();
  const begunAt = ctx.systemNow();
  const dispatched = await transact(
    ctx.db,
    async (tx) => {
      const [events, deliveries] = await pipelined(
        tx,
        () => run(tx, eventsToDispatch, { ids: eventIds }),
        () => createDeliveries(tx, ctx, eventIds, receiver),
      );
      await createReceipts(tx, events.filter(hasReceipt));
      const asking = await createAddressRequests(tx, events.flatMap(requestOf));
      await ensureScheduled(
        tx,
        events.flatMap((event) => followUpsOf(ctx, event, asking.has(event.id))),
      );
      await finish(tx, dispatchEvent, eventIds, startedAt);
      // Last: other dispatches to these endpoints wait for the locks of their jobs until this commits.
      await schedule(tx, deliveries);
      return events;
    },
    LOST_IS_REPEATED,
  );
  // A batch has events of many traces: each gets a span of the whole run.
  for (const { id, type, payment_id, traceparent } of dispatched)
    startSpan('job event.dispatch', 'CONSUMER', traceparent, begunAt)?.end({
      event_id: id,
      type,
      payment_id,
    });
}

/** The events for which a customer with a mail address receives a receipt. */
const WITH_RECEIPT: ReadonlySet<EventType> = new Set(['checkout.settled', 'checkout.refunded']);

function hasReceipt({ type, has_email }: DispatchedEvent): boolean {
  return WITH_RECEIPT.has(type) && has_email;
}

function requestOf(event: DispatchedEvent): NewAddressRequest[] {
  const reason = event.has_email ? requestReasonOf(event) : null;
  return reason === null ? [] : [{ id: event.id, payment_id: event.payment_id, reason }];
}

/**
 * Returns the jobs that follow from an event. Mails are scheduled without a mail server too, and their
 * worker discards them: what follows from an event does not depend on the configuration of this process.
 */
function followUpsOf(ctx: Context, event: DispatchedEvent, asks: boolean): ScheduledJob[] {
  const { testClock } = ctx;
  const { autopaySeconds } = ctx.config;
  const jobs: ScheduledJob[] = [];
  const mail = { key: event.id, runAt: event.created_at, testClock, merchantId: event.merchant_id };
  if (hasReceipt(event)) jobs.push({ job: sendReceipt, ...mail });
  if (asks) jobs.push({ job: sendAddressRequest, ...mail });
  if (event.type === 'checkout.created' && autopaySeconds !== null)
    jobs.push({
      job: autopayPayment,
      key: event.payment_id,
      runAt: addSeconds(event.created_at, autopaySeconds),
      testClock,
    });
  return jobs;
}
