import { schedule } from '../../schedule/store.ts';
import { recordChange } from '../../audit/record.ts';
import { once } from '../../idempotency/claim.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { REGISTRATION_IN } from '../endpoints/destination.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';
import { getDelivery, readDelivery } from './read.ts';
import { RECORD_REQUESTS } from './redelivery-requests.ts';
import type { RedeliverOneBody } from './schemas.ts';

type Destination = Pick<Payment, 'test_clock' | 'clock_offset_ms' | 'clock_frozen_until'> & {
  readonly endpoint_id: string;
  readonly is_enabled: boolean;
  readonly is_switched_off: boolean;
};

// Before anything is read that decides: the payment may be isolated meanwhile, and its delivery moved. The
// lock of the event keeps it from the sweep (events/sweep.ts).
const lockDelivery = sql<{ id: string }, { id: string; merchantId: string }>(
  'lock_delivery_to_restart',
  (p) => `
   SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id
   WHERE d.id = ${p.id} AND d.merchant_id = ${p.merchantId}
   FOR NO KEY UPDATE OF d FOR KEY SHARE OF e`,
);
// The endpoint has no row where nothing was sent yet, or for long: the job that finds none creates it.
const destinationOf = sql<Destination, { id: string; merchantId: string }>(
  'destination_of_delivery',
  (p) => `
   SELECT d.endpoint_id, p.test_clock, p.clock_offset_ms, p.clock_frozen_until,
     CASE WHEN named.id IS NULL
       THEN m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL
       ELSE coalesce(r.is_enabled, false) END AS is_enabled,
     o.disabled_at IS NOT NULL OR named.id IS NOT NULL AND (r.id IS NULL OR r.deleted_at IS NOT NULL)
       AS is_switched_off
   FROM deliveries d
     JOIN merchants m ON m.id = d.merchant_id
     JOIN payments p ON p.id = d.payment_id
     JOIN events e ON e.id = d.event_id
     LEFT JOIN webhook_endpoints o ON o.id = d.endpoint_id
     CROSS JOIN LATERAL (SELECT ${REGISTRATION_IN('d.endpoint_id')} AS id) named
     LEFT JOIN endpoint_registrations r ON r.id = named.id
   WHERE d.id = ${p.id} AND d.merchant_id = ${p.merchantId}`,
);
const restartDelivery = sql<never, { id: string; now: Date; systemNow: Date }>(
  'restart_delivery',
  (p) => `
   WITH restarted AS (
     UPDATE deliveries SET status = 'pending', failed_because = NULL, next_attempt_at = ${p.now},
       finished_at = NULL, restarted_after = attempts
     WHERE id = ${p.id}
     RETURNING merchant_id, event_id, sequence
   )${RECORD_REQUESTS('restarted', p.systemNow)}`,
);
const requestForListeners = sql<never, { id: string; systemNow: Date }>(
  'request_redelivery_to_listeners',
  (p) => `
   WITH requested AS (SELECT merchant_id, event_id, sequence FROM deliveries WHERE id = ${p.id})
   ${RECORD_REQUESTS('requested', p.systemNow)}`,
);

/**
 * Restarts one delivery in any status: it is due at once, and begins the retry schedule again. With `to:
 * listeners` it stays as it is, and only who reads GET /v1/events/redeliveries gets the event, also while
 * webhooks are disabled.
 * Throws ApiError delivery_not_found, webhooks_off while webhooks are disabled, and endpoint_off while the
 * delivery's endpoint is.
 */
export async function redeliver(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { id, to, claim }: RedeliverOneBody & { readonly id: string; readonly claim: IdempotencyClaim | null },
): Promise<Reply> {
  const systemNow = ctx.systemNow();
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    await readDelivery(tx, lockDelivery, { id, merchantId });
    const found = await readDelivery(tx, destinationOf, { id, merchantId });
    if (to === 'listeners') {
      await run(tx, requestForListeners, { id, systemNow });
      return answered(ctx, tx, merchantId, { id, to });
    }
    if (found.is_switched_off) throw new ApiError('endpoint_off');
    if (!found.is_enabled) throw new ApiError('webhooks_off');
    // A delivery that moved to its payment's test clock is due by that clock.
    const isIsolated = found.test_clock !== null && found.endpoint_id.startsWith(found.test_clock);
    const { now, testClock } = isIsolated ? withTestClockOf(ctx, found) : ctx;
    await run(tx, restartDelivery, { id, now: now(), systemNow });
    await schedule(tx, [
      { job: deliverWebhook, key: found.endpoint_id, runAt: now(), testClock, merchantId },
    ]);
    return answered(ctx, tx, merchantId, { id, to: to ?? 'receiver' });
  });
}

/** The delivery as it is now, once it is written down who asked for it again. */
async function answered(
  ctx: Context,
  tx: Tx,
  merchantId: string,
  { id, to }: { readonly id: string; readonly to: string },
): Promise<Reply> {
  const delivery = await getDelivery(tx, merchantId, id);
  await recordChange(ctx, tx, 'webhook redelivered', {
    merchant_id: merchantId,
    payment_id: delivery.payment_id,
    delivery_id: id,
    to,
  });
  return reply(202, delivery);
}
