import { newWebhookSecret, secretBoxOf } from '../secrets/secret-box.ts';
import { ENDPOINT_SECRETS } from '../secrets/store.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { newId } from '../../../platform/values/ids.ts';
import { getEndpoint } from '../endpoint-list/list.ts';
import type { WebhookEndpoint } from '../endpoint-list/schemas.ts';
import { enableEndpoints, wakeEndpoints } from '../endpoints/enable.ts';
import { lockRegistration, type Payload } from '../endpoints/registration.ts';
import { MAX_REGISTERED, type EndpointSettings } from './schemas.ts';

interface RegistrationParams {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventTypes: readonly string[] | null;
  readonly description: string | null;
  readonly payload: Payload;
  readonly isEnabled: boolean;
  readonly now: Date;
}

// Of two requests for the last free place the second waits, and finds none.
const lockMerchant = sql<never, { merchantId: string }>(
  'lock_merchant_for_registration',
  (p) => `SELECT FROM merchants WHERE id = ${p.merchantId} FOR NO KEY UPDATE`,
);
const insert = sql<{ id: string }, RegistrationParams>(
  'insert_endpoint_registration',
  (p) => `
   INSERT INTO endpoint_registrations
     (id, merchant_id, url, event_types, description, payload, is_enabled, created_at, updated_at)
   SELECT ${p.id}::text, ${p.merchantId}::text, ${p.url}::text, ${p.eventTypes}::text[],
     ${p.description}::text, ${p.payload}::text, ${p.isEnabled}::boolean, ${p.now}::timestamptz, ${p.now}
   WHERE (
     SELECT count(*) FROM endpoint_registrations
     WHERE merchant_id = ${p.merchantId} AND deleted_at IS NULL) < ${MAX_REGISTERED}
   RETURNING id`,
);

/**
 * Registers an endpoint, with a secret of its own. Events that are recorded from now on are sent to it;
 * earlier ones on request. Throws ApiError too_many_endpoints.
 */
export async function registerEndpoint(
  ctx: Context,
  { merchantId }: Caller,
  settings: EndpointSettings,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const now = ctx.now();
  const id = newId('whe', now);
  const box = secretBoxOf(ctx.config);
  const registered = await once(ctx.db, claim, now, async (tx) => {
    await run(tx, lockMerchant, { merchantId });
    const inserted = await runOne(tx, insert, { id, merchantId, now, ...columnsOf(settings) });
    if (inserted === null) throw new ApiError('too_many_endpoints');
    const secret = box.encrypt(newWebhookSecret(), id);
    await run(tx, ENDPOINT_SECRETS.insert, { ownerId: id, createdAt: now, ...secret });
    return reply(201, await getEndpoint(tx, merchantId, id, now));
  });
  logConfigChange(ctx, 'webhook endpoint registered', {
    merchant_id: merchantId,
    endpoint_id: id,
    receiver: hostOf(settings.url),
  });
  return registered;
}

const update = sql<never, Omit<RegistrationParams, 'merchantId'>>(
  'update_endpoint_registration',
  (p) => `
   UPDATE endpoint_registrations SET url = ${p.url}, event_types = ${p.eventTypes},
     description = ${p.description}, payload = ${p.payload}, is_enabled = ${p.isEnabled},
     updated_at = ${p.now}
   WHERE id = ${p.id}`,
);

/**
 * Sets all settings of a registered endpoint, and switches it on again where it was switched off; what waited
 * for `enabled` goes on. Throws ApiError endpoint_not_found.
 */
export async function changeEndpoint(
  ctx: Context,
  { merchantId }: Caller,
  id: string,
  settings: EndpointSettings,
): Promise<WebhookEndpoint> {
  const now = ctx.now();
  const changed = await ctx.db.transaction(async (tx) => {
    const before = await lockRegistration(tx, merchantId, id);
    const columns = columnsOf(settings);
    await run(tx, update, { id, now, ...columns });
    const own = { merchantId, registrationId: id };
    await enableEndpoints(tx, own, now, columns.url !== before.url);
    if (columns.isEnabled && !before.is_enabled) await wakeEndpoints(tx, own, now);
    return getEndpoint(tx, merchantId, id, now);
  });
  logConfigChange(ctx, 'webhook endpoint', {
    merchant_id: merchantId,
    endpoint_id: id,
    enabled: changed.enabled,
    receiver: hostOf(settings.url),
  });
  return changed;
}

function columnsOf({ url, event_types, description, payload, enabled }: EndpointSettings) {
  return {
    url,
    eventTypes: event_types ?? null,
    description: description ?? null,
    payload: payload ?? 'full',
    isEnabled: enabled ?? true,
  } as const;
}
