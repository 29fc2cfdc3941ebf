import type { Context } from '../../../platform/context.ts';
import { run } from '../../../platform/postgres/db.ts';
import type { WebhookSecrets } from './schemas.ts';
import { secretBoxOf } from '../../../platform/secret-box.ts';
import { MERCHANT_SECRETS, type EncodedSecret, type SecretStore, type StoredSecret } from './store.ts';

/** A secret that signs, decrypted; `expiresAt` null: it is the current one. */
export interface Secret {
  readonly secret: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** What signs for an owner: the secret in force, and the rotated ones, newest first. */
export async function readSecrets(ctx: Context, store: SecretStore, ownerId: string): Promise<Secret[]> {
  const box = secretBoxOf(ctx.config);
  const rows = await run(ctx.db, store.read, { ownerId, now: ctx.now() });
  return rows.map(({ key_id: keyId, ciphertext, created_at, expires_at }: StoredSecret) => ({
    secret: box.decrypt({ keyId, ciphertext }, store.aadOf(ownerId)),
    createdAt: created_at,
    expiresAt: expires_at,
  }));
}

/** The secret in force of a merchant, or of a registered endpoint, and the rotated ones that still sign. */
export async function getWebhookSecrets(
  ctx: Context,
  ownerId: string,
  store: SecretStore = MERCHANT_SECRETS,
): Promise<WebhookSecrets> {
  const secrets = await readSecrets(ctx, store, ownerId);
  const current = secrets.find(({ expiresAt }) => expiresAt === null);
  if (current === undefined) throw new Error(`${ownerId} has no webhook secret in force`);
  return {
    secret: current.secret,
    created_at: current.createdAt.toISOString(),
    previous: secrets.flatMap(({ secret, expiresAt }) =>
      expiresAt === null ? [] : [{ secret, expires_at: expiresAt.toISOString() }],
    ),
  };
}

/** Decrypts secrets that a statement returned in base64. Throws SecretBoxError. */
export function decryptEncoded(ctx: Context, encoded: readonly EncodedSecret[], aad: string): string[] {
  const box = secretBoxOf(ctx.config);
  return encoded.map(({ key_id: keyId, ciphertext }) =>
    box.decrypt({ keyId, ciphertext: Buffer.from(ciphertext, 'base64') }, aad),
  );
}
