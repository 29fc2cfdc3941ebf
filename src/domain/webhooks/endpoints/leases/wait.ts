import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql } from '../../../../platform/postgres/db.ts';
import type { AcquiredEndpoint, EndpointLease } from './lease.ts';
import { releaseEndpoint } from './release.ts';

/** How often the deliveries of a waiting endpoint are read for those that have waited too long. */
const LOOK_SECONDS = 86_400;

// FOR SHARE waits for a PUT that is about to enable webhooks. It may have searched for waiting deliveries
// before one of these was committed: once it has ended, this finds nothing, and the run reads again.
const lockWhileOff = sql<{ id: string }, { merchantId: string }>(
  'lock_merchant_while_webhooks_are_off',
  (p) => `SELECT id FROM merchants WHERE id = ${p.merchantId} AND NOT webhooks_enabled FOR SHARE`,
);
const lockRegistrationWhileOff = sql<{ id: string }, { id: string }>(
  'lock_registration_while_it_is_off',
  (p) => `
   SELECT id FROM endpoint_registrations
   WHERE id = ${p.id} AND NOT is_enabled AND deleted_at IS NULL FOR SHARE`,
);

/**
 * Releases the endpoint as `releaseEndpoint` does. While the merchant has it disabled, its job is put off for
 * a day instead: the PUT that enables it wakes it.
 */
export async function releaseOrWait(
  ctx: Context,
  lease: EndpointLease,
  endpoint: AcquiredEndpoint,
): Promise<boolean> {
  if (!endpoint.isWaiting) return releaseEndpoint(ctx, lease, endpoint);
  const flowControl = { ...endpoint.flowControl, circuitOpenUntil: addSeconds(ctx.now(), LOOK_SECONDS) };
  return ctx.db.transaction(async (tx) => {
    const { merchantId, registrationId: id } = endpoint;
    const locked =
      id === null
        ? await runOne(tx, lockWhileOff, { merchantId })
        : await runOne(tx, lockRegistrationWhileOff, { id });
    return locked !== null && releaseEndpoint({ ...ctx, db: tx }, lease, { ...endpoint, flowControl });
  });
}
