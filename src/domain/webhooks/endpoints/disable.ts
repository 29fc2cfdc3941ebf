import { schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { notifyDisabled } from './jobs.ts';

/** Why an endpoint was switched off: it said 410 Gone, or it did nothing but fail for five days. */
export type DisableReason = 'gone' | 'failing';

const disableStatement = sql<{ merchant_id: string; dropped: number }>(
  'switch_off_endpoint',
  `WITH endpoint AS (
     UPDATE webhook_endpoints SET disabled_at = $2, disabled_reason = $3
     WHERE id = $1 AND disabled_at IS NULL RETURNING id, merchant_id
   ), dropped AS (
     UPDATE deliveries SET status = 'failed', failed_because = 'endpoint_switched_off', next_attempt_at = NULL, finished_at = $2
     FROM endpoint WHERE endpoint_id = endpoint.id AND status = 'pending' RETURNING deliveries.id
   )
   SELECT merchant_id, (SELECT count(*)::int FROM dropped) AS dropped FROM endpoint`,
);

/** Switches an endpoint off: what waits there has failed, and new events are recorded only, until the merchant switches it on again. */
export async function disableEndpoint(
  ctx: Context,
  endpointId: string,
  because: DisableReason,
): Promise<void> {
  const off = await ctx.db.transaction(async (tx) => {
    const switched = await runOne(tx, disableStatement, [endpointId, ctx.now(), because]);
    // A test payment in a world of its own has its receiver to itself: nobody needs to mend it.
    const isShared = switched !== null && endpointId.startsWith(switched.merchant_id);
    if (isShared && ctx.config.smtpUrl !== null)
      await schedule(tx, [{ job: notifyDisabled, key: endpointId, runAt: ctx.now(), testClock: null }]);
    return switched;
  });
  if (off === null) return;
  ctx.log.warn('webhook endpoint switched off', {
    endpoint_id: endpointId,
    merchant_id: off.merchant_id,
    because,
    deliveries_dropped: off.dropped,
  });
}
