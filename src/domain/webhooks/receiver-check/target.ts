import type { Context } from '../../../platform/context.ts';
import { ValidationError } from '../../../platform/errors.ts';
import { readWebhookConfig, getWebhookSecrets } from '../endpoints/settings.ts';

/** Borne by what tries a receiver out, beside the usual headers. It is not signed: nothing may be trusted because of it. */
export const TEST_HEADERS = { 'X-Webhook-Test': 'true' } as const;

/** Where a trial goes, and the secrets that sign it, newest first. */
export interface CheckTarget {
  readonly url: string;
  readonly secrets: readonly string[];
}

/**
 * Reads what a trial of the merchant's receiver needs; `url` is the request's, in place of the merchant's. Webhooks need not be switched
 * on: one tries a receiver before. Throws ValidationError where there is no URL at all.
 */
export async function resolveTarget(ctx: Context, merchantId: string, url?: string): Promise<CheckTarget> {
  const destination = url ?? (await readWebhookConfig(ctx.db, merchantId)).webhookUrl;
  if (destination === null)
    throw new ValidationError('url', 'required', 'is required as long as no webhookUrl is set');
  const { secret, previous } = await getWebhookSecrets(ctx, merchantId);
  return { url: destination, secrets: [secret, ...previous.map((one) => one.secret)] };
}
