import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection, type Db } from '../../../platform/postgres/db.ts';
import { ValidationError } from '../../../platform/errors.ts';
import { HEALTH_COLUMNS, healthOf, rateValues, enableEndpoints, type HealthRow } from './health.ts';
import type { WebhookConfig, WebhookConfigAndHealth, WebhookConfigBody, WebhookSecrets } from './schemas.ts';
import { secretBoxOf } from '../secrets/secret-box.ts';

interface ConfigRow {
  readonly webhook_url: string | null;
  readonly webhooks_enabled: boolean;
  readonly webhooks_updated_at: Date;
}

const readConfig = sql<ConfigRow>(
  'read_webhook_config',
  `SELECT webhook_url, webhooks_enabled, webhooks_updated_at FROM merchants WHERE id = $1`,
);
const readConfigAndHealth = sql<ConfigRow & HealthRow>(
  'read_webhook_config_and_health',
  `SELECT m.webhook_url, m.webhooks_enabled, m.webhooks_updated_at, ${HEALTH_COLUMNS}
   FROM merchants m LEFT JOIN webhook_endpoints o ON o.id = m.id WHERE m.id = $1`,
);
const writeConfig = sql<ConfigRow>(
  'write_webhook_config',
  `UPDATE merchants SET webhook_url = $2, webhooks_enabled = $3, webhooks_updated_at = $4 WHERE id = $1
   RETURNING webhook_url, webhooks_enabled, webhooks_updated_at`,
);

/** Where the merchant's events go, and whether they do, as the merchant set it. */
export async function readWebhookConfig(connection: Connection, merchantId: string): Promise<WebhookConfig> {
  const row = await runOne(connection, readConfig, [merchantId]);
  assertThere(row, merchantId);
  return toConfig(row);
}

/** Where the merchant's events go, whether they do, and how that went; `enabled` is false while the endpoint is switched off. */
export async function getWebhookConfig(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<WebhookConfigAndHealth> {
  const row = await runOne(connection, readConfigAndHealth, [merchantId, ...rateValues(now)]);
  assertThere(row, merchantId);
  const config = toConfig(row);
  const health = healthOf(row, now);
  return { ...config, enabled: config.enabled && health.state !== 'switched_off', health };
}

/** Sets both, and switches endpoints on that were switched off. Throws ValidationError when webhooks are to be sent but there is no URL to send them to. */
export async function setWebhookConfig(
  db: Db,
  merchantId: string,
  body: WebhookConfigBody,
  now: Date,
): Promise<WebhookConfig> {
  if (body.enabled && body.webhookUrl === null)
    throw new ValidationError('webhookUrl', 'type', 'must be a URL while enabled is true');
  return db.transaction(async (tx) => {
    const row = await runOne(tx, writeConfig, [merchantId, body.webhookUrl, body.enabled, now]);
    assertThere(row, merchantId);
    await enableEndpoints(tx, merchantId, now);
    return toConfig(row);
  });
}

function toConfig(row: ConfigRow): WebhookConfig {
  return {
    webhookUrl: row.webhook_url,
    enabled: row.webhooks_enabled,
    updatedAt: row.webhooks_updated_at.toISOString(),
  };
}

function assertThere<T>(row: T | null, merchantId: string): asserts row is T {
  if (row === null) throw new Error(`the merchant ${merchantId} of a valid key is gone`);
}

const readSecrets = sql<{ key_id: string; ciphertext: Buffer; created_at: Date; expires_at: Date | null }>(
  'read_webhook_secrets',
  `SELECT key_id, ciphertext, created_at, expires_at FROM webhook_secrets
   WHERE merchant_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at DESC`,
);

/** The merchant's secret, and those that were rotated away and still sign. */
export async function getWebhookSecrets(ctx: Context, merchantId: string): Promise<WebhookSecrets> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, readSecrets, [merchantId, ctx.now()]);
  const open = (row: (typeof rows)[number]) =>
    box.decrypt({ keyId: row.key_id, ciphertext: row.ciphertext }, merchantId);
  const current = rows.find(({ expires_at }) => expires_at === null);
  if (current === undefined) throw new Error(`the merchant ${merchantId} has no webhook secret in force`);
  return {
    secret: open(current),
    created_at: current.created_at.toISOString(),
    previous: rows.flatMap((row) =>
      row.expires_at === null ? [] : [{ secret: open(row), expires_at: row.expires_at.toISOString() }],
    ),
  };
}
