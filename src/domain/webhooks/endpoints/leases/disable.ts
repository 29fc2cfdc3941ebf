import { schedule } from '../../../schedule/store.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql } from '../../../../platform/postgres/db.ts';
import type { EndpointLease } from './lease.ts';
import { notifyDisabled } from '../jobs.ts';
import type { DisableReason } from '../schemas.ts';

interface DisableParams {
  readonly endpointId: string;
  readonly owner: string;
  readonly now: Date;
  readonly reason: DisableReason;
}

const disable = sql<{ merchant_id: string; dropped: number }, DisableParams>(
  'disable_endpoint',
  (p) => `
   WITH endpoint AS (
     UPDATE webhook_endpoints SET disabled_at = ${p.now}, disabled_reason = ${p.reason}
     WHERE id = ${p.endpointId} AND leased_by = ${p.owner} AND disabled_at IS NULL
     RETURNING id, merchant_id
   ),
   dropped AS (
     UPDATE deliveries SET status = 'failed', failed_because = 'endpoint_switched_off',
       next_attempt_at = NULL, finished_at = ${p.now}
     FROM endpoint
     WHERE endpoint_id = endpoint.id AND status = 'pending'
     RETURNING deliveries.id
   )
   SELECT merchant_id, (SELECT count(*)::int FROM dropped) AS dropped FROM endpoint`,
);

/**
 * Disables the endpoint that a run has leased: its pending deliveries fail, and new events are only recorded,
 * until it is enabled again. Does nothing where the run has lost the lease: the merchant has set
 * the endpoint again.
 */
export async function disableEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  reason: DisableReason,
): Promise<void> {
  const disabled = await ctx.db.transaction(async (tx) => {
    const endpoint = await runOne(tx, disable, { endpointId, owner, now: ctx.now(), reason });
    // The endpoint of a payment with its own test clock needs no repair.
    const isShared = endpoint !== null && endpointId.startsWith(endpoint.merchant_id);
    if (isShared && ctx.config.smtpUrl !== null)
      await schedule(tx, [{ job: notifyDisabled, key: endpointId, runAt: ctx.now(), testClock: null }]);
    return endpoint;
  });
  if (disabled === null) return;
  ctx.log.warn('webhook endpoint disabled; the merchant can enable it again', {
    change: 'webhook endpoint disabled',
    by: 'circuit breaker',
    endpoint_id: endpointId,
    merchant_id: disabled.merchant_id,
    because: reason,
    deliveries_dropped: disabled.dropped,
  });
}
