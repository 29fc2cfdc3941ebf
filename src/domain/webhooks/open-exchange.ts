import type { Config } from '../../platform/config.ts';
import { VERSION } from '../../platform/version.ts';
import { createExchange, type Exchange } from './exchange.ts';

/** The way out to the merchants' receivers, as the configuration wants it. */
export function openExchange(
  config: Pick<Config, 'allowPrivateNetworks' | 'webhookTimeoutSeconds'>,
): Exchange {
  return createExchange({
    allowPrivate: config.allowPrivateNetworks,
    timeoutMs: config.webhookTimeoutSeconds * 1000,
    userAgent: `payment-checkout/${VERSION}`,
  });
}
