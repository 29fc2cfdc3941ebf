import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { ApiError, ValidationError } from '../../api/errors.ts';
import type { DeliveryResult, WebhookClient } from '../client/client.ts';
import { placesOf } from '../client/places.ts';
import { readWebhookConfig } from '../endpoints/settings.ts';
import { readRegistration } from '../endpoints/registration.ts';
import { readSecrets, type Secret } from '../secrets/read.ts';
import { ENDPOINT_SECRETS, MERCHANT_SECRETS, SIGNING_KEYS, type SecretStore } from '../secrets/store.ts';

/**
 * Added to the usual headers of test requests. It is not signed: a receiver may not trust anything because of
 * it.
 */
export const TEST_HEADERS = { 'X-Webhook-Test': 'true' } as const;

/** The URL of a receiver check or test event, and the secrets and key pairs that sign it, newest first. */
export interface CheckTarget {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly signingKeys: readonly string[];
}

/**
 * Reads the target; `url` is the request's, in place of the merchant's. Webhooks need not be enabled: a
 * merchant tries a receiver before that. Throws ValidationError where there is no URL at all, and
 * ApiError endpoint_not_found.
 */
export async function resolveTarget(
  ctx: Context,
  merchantId: string,
  { url, endpoint_id: id }: { url?: string; endpoint_id?: string },
): Promise<CheckTarget> {
  if (id !== undefined) {
    const registered = await readRegistration(ctx.db, merchantId, id);
    return { url: url ?? registered.url, ...(await signersOf(ctx, merchantId, id, ENDPOINT_SECRETS)) };
  }
  const destination = url ?? (await readWebhookConfig(ctx.db, merchantId)).webhookUrl;
  if (destination === null)
    throw new ValidationError('url', 'required', 'is required as long as no webhookUrl is set');
  return { url: destination, ...(await signersOf(ctx, merchantId, merchantId, MERCHANT_SECRETS)) };
}

interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends within the places that the merchant has at the origin, beside deliveries. Throws ApiError
 * rate_limited where none is free.
 */
export async function sendWithin(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  client: WebhookClient,
  { url, headers, body }: Sending,
): Promise<DeliveryResult> {
  const place = placesOf(client).take(merchantId, url, ctx.systemNow());
  if (typeof place === 'number')
    throw new ApiError('rate_limited', {
      message: `As many of your requests as may be are on their way to ${new URL(url).origin}: try again later.`,
      headers: { 'Retry-After': '5' },
    });
  const result = await client.post(url, headers, body);
  place(result.ok, ctx.systemNow());
  return result;
}

async function signersOf(ctx: Context, merchantId: string, ownerId: string, store: SecretStore) {
  const textsOf = (secrets: readonly Secret[]) => secrets.map(({ secret }) => secret);
  return {
    secrets: textsOf(await readSecrets(ctx, store, ownerId)),
    signingKeys: textsOf(await readSecrets(ctx, SIGNING_KEYS, merchantId)),
  };
}
