import { newWebhookSecret, secretBoxOf } from '../../../platform/secret-box.ts';
import { ENDPOINT_SECRETS } from '../secrets/store.ts';
import { once } from '../../idempotency/claim.ts';
import { recordChange } from '../../audit/record.ts';
import { lockMerchant } from '../../merchants/store.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { newId } from '../../../platform/values/ids.ts';
import { getEndpoint } from '../endpoint-list/list.ts';
import type { WebhookEndpoint } from '../endpoint-list/schemas.ts';
import { enableEndpoints, wakeEndpoints } from '../endpoints/enable.ts';
import {
  listRegistrations,
  readRegistration,
  type Payload,
  type Registration,
} from '../endpoints/registration.ts';
import { MAX_AT_ORIGIN, MAX_REGISTERED, type EndpointSettings } from './schemas.ts';

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

const insert = sql<never, RegistrationParams>(
  'insert_endpoint_registration',
  (p) => `
   INSERT INTO endpoint_registrations
     (id, merchant_id, url, event_types, description, payload, is_enabled, created_at, updated_at)
   VALUES (${p.id}, ${p.merchantId}, ${p.url}, ${p.eventTypes}, ${p.description}, ${p.payload},
     ${p.isEnabled}, ${p.now}, ${p.now})`,
);

/**
 * Registers an endpoint, with a secret of its own. Events that are recorded from now on are sent to it;
 * earlier ones on request. Throws ApiError too_many_endpoints.
 */
export async function registerEndpoint(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  settings: EndpointSettings,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const now = ctx.now();
  const id = newId('whe', now);
  const box = secretBoxOf(ctx.config);
  const change = { merchant_id: merchantId, endpoint_id: id, receiver: hostOf(settings.url) };
  const response = await once(ctx.db, claim, now, async (tx) => {
    // Of two requests for the last free place the second waits, and finds none.
    await lockMerchant(tx, merchantId);
    await assertRoom(tx, merchantId, { id, url: settings.url });
    await run(tx, insert, { id, merchantId, now, ...columnsOf(settings) });
    const secret = box.encrypt(newWebhookSecret(), id);
    await run(tx, ENDPOINT_SECRETS.insert, { ownerId: id, createdAt: now, ...secret });
    const created = await getEndpoint(tx, merchantId, id, now);
    await recordChange(ctx, tx, 'webhook endpoint registered', change);
    return reply(201, created);
  });
  logConfigChange(ctx, 'webhook endpoint registered', change);
  return response;
}

/**
 * Makes sure that the merchant, whose row is locked, may have one more endpoint, or one at another origin:
 * `id` is not counted. Throws ApiError too_many_endpoints.
 */
async function assertRoom(tx: Tx, merchantId: string, { id, url }: { id: string; url: string }) {
  const { origin } = new URL(url);
  const others = (await listRegistrations(tx, merchantId)).filter((one) => one.id !== id);
  if (others.length >= MAX_REGISTERED) throw new ApiError('too_many_endpoints');
  if (others.filter((one) => new URL(one.url).origin === origin).length >= MAX_AT_ORIGIN)
    throw new ApiError('too_many_endpoints', {
      message:
        `There are ${MAX_AT_ORIGIN} registered endpoints at ${origin} already: delete one of them first, ` +
        'or let one receiver pass events on.',
    });
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
 * Sets all settings of a registered endpoint, to what `change` makes of those that it has, and switches it on
 * again where it was switched off; what waited for `enabled` goes on. Throws ApiError endpoint_not_found, and
 * too_many_endpoints at its new origin.
 */
export async function changeEndpoint(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  change: (before: Registration) => EndpointSettings,
): Promise<WebhookEndpoint> {
  const now = ctx.now();
  const [changed, receiver] = await ctx.db.transaction(async (tx) => {
    // Whoever changes an endpoint of the merchant has this lock, so that a change finds what the one before
    // it left. One that is deleted meanwhile is missing at the end, and nothing of it was changed.
    await lockMerchant(tx, merchantId);
    const before = await readRegistration(tx, merchantId, id);
    const columns = columnsOf(change(before));
    // What an earlier release let a merchant register may stay.
    if (new URL(before.url).origin !== new URL(columns.url).origin)
      await assertRoom(tx, merchantId, { id, url: columns.url });
    await run(tx, update, { id, now, ...columns });
    const own = { merchantId, registrationId: id };
    await enableEndpoints(tx, own, now, columns.url !== before.url);
    if (columns.isEnabled && !before.is_enabled) await wakeEndpoints(tx, own, now);
    const after = await getEndpoint(tx, merchantId, id, now);
    const was = { enabled: before.is_enabled, receiver: hostOf(before.url) };
    await recordChange(ctx, tx, 'webhook endpoint', {
      merchant_id: merchantId,
      endpoint_id: id,
      before: was,
      after: { enabled: after.enabled, receiver: hostOf(columns.url) },
    });
    return [after, hostOf(columns.url)] as const;
  });
  logConfigChange(ctx, 'webhook endpoint', {
    merchant_id: merchantId,
    endpoint_id: id,
    enabled: changed.enabled,
    receiver,
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
