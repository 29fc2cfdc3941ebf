import type { Config } from '../../../platform/config/config.ts';
import { VERSION } from '../../../platform/version.ts';
import { createWebhookClient, type WebhookClient } from './client.ts';

/** The way out to the merchants' receivers, as the configuration wants it. */
export function webhookClientOf(
  config: Pick<Config, 'allowPrivateNetworks' | 'webhookTimeoutSeconds'>,
): WebhookClient {
  return createWebhookClient({
    allowPrivate: config.allowPrivateNetworks,
    timeoutMs: config.webhookTimeoutSeconds * 1000,
    userAgent: `payment-checkout/${VERSION}`,
  });
}
