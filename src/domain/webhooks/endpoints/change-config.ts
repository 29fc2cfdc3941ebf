import { recordChange } from '../../audit/record.ts';
import type { Context } from '../../../platform/context.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import type { WebhookConfig, WebhookConfigBody } from './schemas.ts';
import { setWebhookConfig } from './settings.ts';

/** Sets the merchant's own URL and whether events are sent, for a person or a key, and writes that down. */
export async function changeWebhookConfig(
  ctx: Context,
  merchantId: string,
  body: WebhookConfigBody,
): Promise<WebhookConfig> {
  const config = await setWebhookConfig(ctx.db, merchantId, body, ctx.now());
  const receiver = config.webhookUrl === null ? null : hostOf(config.webhookUrl);
  const change = { merchant_id: merchantId, enabled: config.enabled, receiver };
  await recordChange(ctx, ctx.db, 'webhook configuration', change);
  logConfigChange(ctx, 'webhook configuration', change);
  return config;
}
