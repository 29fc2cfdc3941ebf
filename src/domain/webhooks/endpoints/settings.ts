import { recordChange } from '../../audit/record.ts';
import type { Context } from '../../../platform/context.ts';
import { hostOf, logConfigChange } from '../../../platform/logging/config-change.ts';
import { runOne, sql, type Connection, type Db } from '../../../platform/postgres/db.ts';
import { lockMerchant } from '../../merchants/store.ts';
import { enableEndpoints, wakeEndpoints } from './enable.ts';
import { HEALTH_COLUMNS, healthOf, rateSince, RATES, type HealthParams, type HealthRow } from './health.ts';
import type { WebhookConfig, WebhookConfigAndHealth, WebhookConfigBody } from './schemas.ts';

interface ConfigRow {
  readonly webhook_url: string | null;
  readonly webhooks_enabled: boolean;
  readonly webhooks_updated_at: Date;
}

const readConfig = sql<ConfigRow, { merchantId: string }>(
  'read_webhook_config',
  (p) => `
   SELECT webhook_url, webhooks_enabled, webhooks_updated_at FROM merchants WHERE id = ${p.merchantId}`,
);
const readConfigAndHealth = sql<ConfigRow & Omit<HealthRow, 'has_url'>, HealthParams>(
  'read_webhook_config_and_health',
  (p) => `
   WITH ${RATES(p)}
   SELECT m.webhook_url, m.webhooks_enabled, m.webhooks_updated_at, ${HEALTH_COLUMNS}
   FROM merchants m LEFT JOIN webhook_endpoints o ON o.id = m.id LEFT JOIN rates r ON r.endpoint_id = m.id
   WHERE m.id = ${p.merchantId}`,
);

interface WriteConfigParams {
  readonly merchantId: string;
  readonly webhookUrl: string | null;
  readonly enabled: boolean;
  readonly now: Date;
}

// Serializes the requests of one merchant, and those of runs that find webhooks disabled (leases/release.ts).
const lockConfig = sql<Pick<ConfigRow, 'webhook_url' | 'webhooks_enabled'>, { merchantId: string }>(
  'lock_webhook_config',
  (p) => `
   SELECT webhook_url, webhooks_enabled FROM merchants WHERE id = ${p.merchantId} FOR NO KEY UPDATE`,
);
const writeConfig = sql<ConfigRow, WriteConfigParams>(
  'write_webhook_config',
  (p) => `
   UPDATE merchants SET webhook_url = ${p.webhookUrl}, webhooks_enabled = ${p.enabled},
     webhooks_updated_at = ${p.now}
   WHERE id = ${p.merchantId}
   RETURNING webhook_url, webhooks_enabled, webhooks_updated_at`,
);

/** The merchant's URL for events and whether they are sent, as the merchant set it. */
export async function readWebhookConfig(connection: Connection, merchantId: string): Promise<WebhookConfig> {
  const row = await runOne(connection, readConfig, { merchantId });
  assertFound(row, merchantId);
  return toConfig(row);
}

/** The configuration and the endpoint's health; `enabled` is false while the endpoint is disabled. */
export async function getWebhookConfig(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<WebhookConfigAndHealth> {
  const row = await runOne(connection, readConfigAndHealth, { merchantId, rateSince: rateSince(now) });
  assertFound(row, merchantId);
  const config = toConfig(row);
  const health = healthOf({ ...row, has_url: config.webhookUrl !== null }, now);
  return { ...config, enabled: config.enabled && health.state !== 'switched_off', health };
}

/** Sets both, and enables disabled endpoints; what waited for `enabled` goes on. */
export async function setWebhookConfig(
  db: Db,
  merchantId: string,
  { webhookUrl, enabled }: WebhookConfigBody,
  now: Date,
): Promise<WebhookConfig> {
  return db.transaction(async (tx) => {
    const before = await runOne(tx, lockConfig, { merchantId });
    const row = await runOne(tx, writeConfig, { merchantId, webhookUrl, enabled, now });
    assertFound(row, merchantId);
    const own = { merchantId, registrationId: null };
    await enableEndpoints(tx, own, now, webhookUrl !== before?.webhook_url);
    if (enabled && before?.webhooks_enabled === false) await wakeEndpoints(tx, own, now);
    return toConfig(row);
  });
}

/**
 * Sets the merchant's own URL and whether events are sent to what `change` makes of what they are, for a
 * person or a key, and writes that down. A change that another one waits for is what that one finds.
 */
export async function changeWebhookConfig(
  ctx: Context,
  merchantId: string,
  change: (before: WebhookConfigBody) => WebhookConfigBody,
): Promise<WebhookConfig> {
  const [config, noted] = await ctx.db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await readWebhookConfig(tx, merchantId);
    const set = await setWebhookConfig(tx, merchantId, change(before), ctx.now());
    const entry = { merchant_id: merchantId, ...notedOf(set) };
    await recordChange(ctx, tx, 'webhook configuration', { ...entry, before: notedOf(before) });
    return [set, entry] as const;
  });
  logConfigChange(ctx, 'webhook configuration', noted);
  return config;
}

const notedOf = ({ webhookUrl, enabled }: WebhookConfigBody) => ({
  enabled,
  receiver: webhookUrl === null ? null : hostOf(webhookUrl),
});

function toConfig(row: ConfigRow): WebhookConfig {
  return {
    webhookUrl: row.webhook_url,
    enabled: row.webhooks_enabled,
    updatedAt: row.webhooks_updated_at.toISOString(),
  };
}

function assertFound<T>(row: T | null, merchantId: string): asserts row is T {
  if (row === null) throw new Error(`the merchant ${merchantId} of a valid key does not exist`);
}
