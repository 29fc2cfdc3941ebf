import { schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import { recordChange } from '../../audit/record.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import { foundOr, ValidationError } from '../../api/errors.ts';
import { encodeUrl } from '../../../platform/values/urls.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { ENDPOINT_ID } from '../deliveries/create.ts';
import { enableEndpoints, RESET } from '../endpoints/enable.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';
import { lockRegistration } from '../endpoints/registration.ts';
import { getEndpoint } from './list.ts';
import type { EnableEndpointBody } from './schemas.ts';

const enableOne = sql<{ id: string }, { merchantId: string; url: string | null; now: Date }>(
  'enable_webhook_endpoint',
  (p) => `
   UPDATE webhook_endpoints o SET ${RESET(p.now)}
   FROM merchants m, (SELECT ${p.url}::text AS callback_url) e
   WHERE m.id = ${p.merchantId} AND o.id = ${ENDPOINT_ID('NULL::text')}
   RETURNING o.id`,
);

/**
 * Enables one endpoint, registered or of the webhookUrl or of a callback_url, and forgets its failures.
 * Events that were not sent are redelivered on request. Throws ApiError endpoint_not_found where nothing was
 * ever sent, and ValidationError for both an id and a URL.
 */
export async function enableEndpoint(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { url, id }: EnableEndpointBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  if (url !== undefined && id !== undefined)
    throw new ValidationError('id', 'not', 'cannot be there beside url');
  const now = ctx.now();
  const change = {
    merchant_id: merchantId,
    ...(id === undefined ? {} : { endpoint_id: id }),
    receiver: url === undefined ? 'the webhookUrl' : hostOf(url),
  };
  const response = await once(ctx.db, claim, now, async (tx) => {
    if (id !== undefined) {
      await lockRegistration(tx, merchantId, id);
      await enableEndpoints(tx, { merchantId, registrationId: id }, now, false);
      const found = await getEndpoint(tx, merchantId, id, now);
      await recordChange(ctx, tx, 'webhook endpoint enabled', change);
      return reply(200, found);
    }
    const row = await runOne(tx, enableOne, { merchantId, url: encodeUrl(url), now });
    const enabled = foundOr('endpoint_not_found', row);
    await schedule(tx, [{ job: deliverWebhook, key: enabled.id, runAt: now, testClock: null, merchantId }]);
    const found = await getEndpoint(tx, merchantId, enabled.id, now);
    await recordChange(ctx, tx, 'webhook endpoint enabled', change);
    return reply(200, found);
  });
  logConfigChange(ctx, 'webhook endpoint enabled', change);
  return response;
}
