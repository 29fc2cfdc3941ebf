import type { Context } from '../../../platform/context.ts';
import { ValidationError } from '../../../platform/errors.ts';
import { readWebhookConfig } from '../endpoints/settings.ts';
import { getWebhookSecrets } from '../secrets/read.ts';

/**
 * Added to the usual headers of test requests. It is not signed: a receiver may not trust anything because of
 * it.
 */
export const TEST_HEADERS = { 'X-Webhook-Test': 'true' } as const;

/** The URL of a receiver check or test event, and the secrets that sign it, newest first. */
export interface CheckTarget {
  readonly url: string;
  readonly secrets: readonly string[];
}

/**
 * Reads the target; `url` is the request's, in place of the merchant's. Webhooks need not be enabled: a
 * merchant tries a receiver before that. Throws ValidationError where there is no URL at all.
 */
export async function resolveTarget(ctx: Context, merchantId: string, url?: string): Promise<CheckTarget> {
  const destination = url ?? (await readWebhookConfig(ctx.db, merchantId)).webhookUrl;
  if (destination === null)
    throw new ValidationError('url', 'required', 'is required as long as no webhookUrl is set');
  const { secret, previous } = await getWebhookSecrets(ctx, merchantId);
  return { url: destination, secrets: [secret, ...previous.map((one) => one.secret)] };
}
