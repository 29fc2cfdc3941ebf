import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql } from '../../../../platform/postgres/db.ts';
import type { AcquiredEndpoint, EndpointLease } from '../acquire.ts';
import { releaseEndpoint } from '../release.ts';

/** How often a waiting endpoint is looked at for deliveries that have waited too long. */
const LOOK_SECONDS = 86_400;

// FOR SHARE waits for a PUT that is about to enable webhooks. It may have searched for waiting deliveries
// before one of these was committed: once it has ended, this finds nothing, and the run looks again.
const lockWhileOff = sql<{ id: string }, { merchantId: string }>(
  'lock_merchant_while_webhooks_are_off',
  (p) => `SELECT id FROM merchants WHERE id = ${p.merchantId} AND NOT webhooks_enabled FOR SHARE`,
);

/**
 * Releases the endpoint as `releaseEndpoint` does. While the merchant has webhooks disabled, its job is put
 * off for a day instead: PUT /v1/webhooks/config wakes it when it enables them.
 */
export async function releaseOrWait(
  ctx: Context,
  lease: EndpointLease,
  endpoint: AcquiredEndpoint,
): Promise<boolean> {
  if (!endpoint.isWaiting) return releaseEndpoint(ctx, lease, endpoint);
  const flowControl = { ...endpoint.flowControl, circuitOpenUntil: addSeconds(ctx.now(), LOOK_SECONDS) };
  return ctx.db.transaction(async (tx) => {
    const locked = await runOne(tx, lockWhileOff, { merchantId: endpoint.merchantId });
    return locked !== null && releaseEndpoint({ ...ctx, db: tx }, lease, { ...endpoint, flowControl });
  });
}
