import { schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import { foundOr } from '../../../platform/errors.ts';
import { encodeUrl } from '../../../platform/values/urls.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { ENDPOINT_ID } from '../deliveries/create.ts';
import { RESET } from '../endpoints/enable.ts';
import { HEALTH_COLUMNS, type HealthRow } from '../endpoints/health.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';
import { ENDPOINT_URL, toEndpoint } from './list.ts';
import type { EnableEndpointBody } from './schemas.ts';

type EnabledRow = Omit<HealthRow, 'has_url' | 'rate'> & {
  readonly id: string;
  readonly url: string | null;
  readonly is_default: boolean;
  readonly rate: number | null;
};

const enableOne = sql<EnabledRow, { merchantId: string; url: string | null; now: Date }>(
  'enable_webhook_endpoint',
  (p) => `
   UPDATE webhook_endpoints o SET ${RESET(p.now)}
   FROM merchants m, (SELECT ${p.url}::text AS callback_url) e,
     (SELECT NULL::float8 AS rate) r
   WHERE m.id = ${p.merchantId} AND o.id = ${ENDPOINT_ID('NULL::text')}
   RETURNING o.id, ${ENDPOINT_URL} AS url, o.id = m.id AS is_default, ${HEALTH_COLUMNS}`,
);

/**
 * Enables one endpoint, of the webhookUrl or of a callback_url, and forgets its failures. Events that were
 * not sent are redelivered on request. Throws ApiError endpoint_not_found where nothing was ever sent.
 */
export async function enableEndpoint(
  ctx: Context,
  { merchantId }: Caller,
  { url }: EnableEndpointBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const now = ctx.now();
  const response = await once(ctx.db, claim, now, async (tx) => {
    const row = await runOne(tx, enableOne, { merchantId, url: encodeUrl(url ?? undefined), now });
    const enabled = foundOr('endpoint_not_found', row);
    await schedule(tx, [{ job: deliverWebhook, key: enabled.id, runAt: now, testClock: null }]);
    return reply(200, toEndpoint(enabled, now));
  });
  logConfigChange(ctx, 'webhook endpoint enabled', {
    merchant_id: merchantId,
    receiver: url ? hostOf(url) : 'the webhookUrl',
  });
  return response;
}
