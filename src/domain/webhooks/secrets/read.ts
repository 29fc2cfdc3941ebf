import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import type { WebhookSecrets } from './schemas.ts';
import { secretBoxOf } from './secret-box.ts';

interface SecretRow {
  readonly key_id: string;
  readonly ciphertext: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const readSecrets = sql<SecretRow, { merchantId: string; now: Date }>(
  'read_webhook_secrets',
  (p) => `
   SELECT key_id, ciphertext, created_at, expires_at FROM webhook_secrets
   WHERE merchant_id = ${p.merchantId} AND (expires_at IS NULL OR expires_at > ${p.now})
   ORDER BY created_at DESC`,
);

/** The merchant's secret in force, and the rotated ones that still sign, newest first. */
export async function getWebhookSecrets(ctx: Context, merchantId: string): Promise<WebhookSecrets> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, readSecrets, { merchantId, now: ctx.now() });
  const decrypt = ({ key_id: keyId, ciphertext }: SecretRow) =>
    box.decrypt({ keyId, ciphertext }, merchantId);
  const current = rows.find(({ expires_at }) => expires_at === null);
  if (current === undefined) throw new Error(`the merchant ${merchantId} has no webhook secret in force`);
  return {
    secret: decrypt(current),
    created_at: current.created_at.toISOString(),
    previous: rows.flatMap((row) =>
      row.expires_at === null ? [] : [{ secret: decrypt(row), expires_at: row.expires_at.toISOString() }],
    ),
  };
}
