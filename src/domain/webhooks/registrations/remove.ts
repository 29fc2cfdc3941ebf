import type { Context } from '../../../platform/context.ts';
import { recordChange } from '../../audit/record.ts';
import type { Caller } from '../../api/endpoint.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { getEndpoint } from '../endpoint-list/list.ts';
import type { WebhookEndpoint } from '../endpoint-list/schemas.ts';
import { lockRegistration } from '../endpoints/registration.ts';

// A run that sends meanwhile has read the endpoint before: what it does not deliver fails at its next try. So
// does what a transaction that read it before adds now (endpoints/destination.ts). The row is kept as long as
// the log may name it, without its secrets.
const remove = sql<never, { merchantId: string; id: string; now: Date }>(
  'delete_endpoint_registration',
  (p) => `
   WITH registration AS (
     UPDATE endpoint_registrations SET deleted_at = ${p.now}, updated_at = ${p.now} WHERE id = ${p.id}
   ),
   secrets AS (DELETE FROM endpoint_secrets WHERE endpoint_id = ${p.id})
   UPDATE deliveries SET status = 'failed', failed_because = 'endpoint_switched_off', next_attempt_at = NULL,
     finished_at = ${p.now}
   WHERE status = 'pending' AND endpoint_id IN (
     SELECT id FROM webhook_endpoints WHERE merchant_id = ${p.merchantId} AND registration_id = ${p.id})`,
);

/**
 * Deletes a registered endpoint: nothing more is sent to it, and what is pending there fails. Returns what it
 * was. Throws ApiError endpoint_not_found.
 */
export async function removeEndpoint(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
): Promise<WebhookEndpoint> {
  const now = ctx.now();
  const change = { merchant_id: merchantId, endpoint_id: id };
  const removed = await ctx.db.transaction(async (tx) => {
    await lockRegistration(tx, merchantId, id);
    const endpoint = await getEndpoint(tx, merchantId, id, now);
    await run(tx, remove, { merchantId, id, now });
    await recordChange(ctx, tx, 'webhook endpoint deleted', change);
    return endpoint;
  });
  logConfigChange(ctx, 'webhook endpoint deleted', change);
  return removed;
}
