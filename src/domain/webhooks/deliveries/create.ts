import { dispatchEvent } from '../../outbox/jobs.ts';
import { finish, schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';

/**
 * The endpoint of an event `e` of the merchant `m`: the merchant's own, or the URL that the payment names, up to its query, which mostly
 * names the order. In a world of its own a payment has its receiver to itself.
 */
export const ENDPOINT_ID = (testClock: string) =>
  `coalesce(${testClock}, m.id || coalesce(' ' || substring(e.callback_url FROM '^[^?#]+'), ''))`;

/**
 * The delivery of an event `e`: it follows from the event, so that a second fan-out finds the first. Ids decide on the partition; those
 * of a world hold its payment's time, because a clock that was wound could be in any year.
 */
export const DELIVERY_ID = (testClock: string) =>
  `'dlv_' || CASE WHEN ${testClock} IS NULL THEN substr(e.id, 5) ELSE substr(e.payment_id, 5, 10) || substr(e.id, 15) END`;

// An event whose merchant has webhooks off, or no URL, or whose endpoint is switched off, is recorded and not delivered; callback_url
// overrides the URL, not the switch. In one order, because two runs with the same events would wait for each other's unique keys for
// ever if each had its own.
const insertDeliveries = sql<{ endpoint_id: string }>(
  'insert_deliveries',
  `WITH wanted AS (
     SELECT e.id, e.merchant_id, e.payment_id, e.sequence, e.type, ${DELIVERY_ID('$3::text')} AS delivery_id,
       ${ENDPOINT_ID('$3::text')} AS endpoint_id
     FROM events e JOIN merchants m ON m.id = e.merchant_id
     WHERE e.id = ANY ($1) AND ($4::text IS NOT NULL OR (m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL))
   ), endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id) SELECT DISTINCT endpoint_id, merchant_id FROM wanted ORDER BY 1
     ON CONFLICT DO NOTHING
   ), delivery AS (
     INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status, next_attempt_at, created_at)
     SELECT delivery_id, id, merchant_id, payment_id, endpoint_id, sequence, type, 'pending', $2, $2 FROM wanted w
     WHERE NOT EXISTS (SELECT FROM webhook_endpoints o WHERE o.id = w.endpoint_id AND o.disabled_at IS NOT NULL)
     ORDER BY delivery_id
     ON CONFLICT DO NOTHING
     RETURNING endpoint_id
   )
   SELECT DISTINCT endpoint_id FROM delivery`,
);

/** Turns events into deliveries that are due at once. Doing it twice adds nothing: an event has at most one delivery. */
export async function createDeliveries(
  ctx: Context,
  eventIds: readonly string[],
  receiver: string | null = null,
): Promise<void> {
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    const endpoints = await run(tx, insertDeliveries, [eventIds, now, ctx.testClock?.id ?? null, receiver]);
    await schedule(
      tx,
      endpoints.map(({ endpoint_id }) => ({
        job: deliverWebhook,
        key: endpoint_id,
        runAt: now,
        testClock: ctx.testClock,
      })),
    );
    await finish(tx, dispatchEvent, eventIds, now);
  });
}
