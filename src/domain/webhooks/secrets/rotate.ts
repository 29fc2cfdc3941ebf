import { once } from '../../idempotency/claim.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { decryptReply, encryptReply } from './encrypted-reply.ts';
import { getWebhookSecrets } from './read.ts';
import { DEFAULT_OVERLAP_HOURS, type RotateSecretBody } from './schemas.ts';
import { newWebhookSecret, secretBoxOf } from './secret-box.ts';

export const ROTATE_PATH = '/v1/webhooks/secrets/rotate';
/**
 * Rotated secrets that may overlap. Each of them signs each delivery: without a bound, a merchant who rotates
 * in a loop would keep the workers busy, and send headers that no receiver accepts.
 */
const MAX_OVERLAPPING = 10;

// Serializes the rotations of one merchant. (The row of the secret in force would not do: a rotation that
// waited for it finds it rotated, and no other.) Payments do not wait: their foreign key takes a weaker lock.
const lockMerchant = sql<never, { merchantId: string }>(
  'lock_merchant_for_rotation',
  (p) => `SELECT FROM merchants WHERE id = ${p.merchantId} FOR NO KEY UPDATE`,
);
const endSecrets = sql<{ created_at: Date }, { merchantId: string; now: Date; overlapEnd: Date }>(
  'end_webhook_secrets',
  (p) => `
   UPDATE webhook_secrets
   SET expires_at = CASE WHEN expires_at IS NULL THEN ${p.overlapEnd}::timestamptz ELSE ${p.now} END
   WHERE merchant_id = ${p.merchantId} AND (expires_at IS NULL
     OR ${p.overlapEnd}::timestamptz <= ${p.now}::timestamptz AND expires_at > ${p.now} OR created_at IN (
     SELECT created_at FROM webhook_secrets
     WHERE merchant_id = ${p.merchantId} AND expires_at > ${p.now}
     ORDER BY created_at DESC OFFSET ${MAX_OVERLAPPING - 1}))
   RETURNING created_at`,
);

interface NewSecret {
  readonly merchantId: string;
  readonly createdAt: Date;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

const insertSecret = sql<never, NewSecret>(
  'insert_rotated_webhook_secret',
  (p) => `
   INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext)
   VALUES (${p.merchantId}, ${p.createdAt}, ${p.keyId}, ${p.ciphertext})`,
);

/**
 * Puts a new secret in force and lets the old one overlap (contract, "Events": the new one signs X-Webhook-
 * Signature, webhook-signature carries both); returns what GET /v1/webhooks/secrets does. Concurrent
 * rotations run one after the other. At most MAX_OVERLAPPING secrets overlap; a further rotation ends the
 * oldest, and one without overlap ends them all. The reply stored for the Idempotency-Key is encrypted like
 * the secrets themselves.
 */
export async function rotateSecret(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { overlap_hours = DEFAULT_OVERLAP_HOURS }: RotateSecretBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const box = secretBoxOf(ctx.config);
  const encrypted = await once(ctx.db, claim, ctx.now(), async (tx) => {
    const now = ctx.now();
    await run(tx, lockMerchant, { merchantId });
    const overlapEnd = addSeconds(now, overlap_hours * 3600);
    const ended = await run(tx, endSecrets, { merchantId, now, overlapEnd });
    const newest = Math.max(...ended.map(({ created_at }) => created_at.getTime()));
    // The times decide which secret is the newest, so two must differ within one millisecond, and where
    // clocks disagree.
    const createdAt = new Date(Math.max(now.getTime(), newest + 1));
    const secret = box.encrypt(newWebhookSecret(), merchantId);
    await run(tx, insertSecret, { merchantId, createdAt, ...secret });
    return encryptReply(box, reply(200, await getWebhookSecrets({ ...ctx, db: tx }, merchantId)), merchantId);
  });
  logConfigChange(ctx, 'webhook secret rotated', { merchant_id: merchantId, overlap_hours });
  return decryptReply(box, encrypted, merchantId);
}

/** Nothing reads a secret that has ended; the hour covers clocks that disagree. */
const ENDED_KEPT_SECONDS = 3600;

const deleteEndedSecrets = sql<{ merchant_id: string }, { endedBefore: Date }>(
  'delete_ended_webhook_secrets',
  (p) => `DELETE FROM webhook_secrets WHERE expires_at < ${p.endedBefore} RETURNING merchant_id`,
);

/**
 * Deletes secrets whose overlap has ended; returns how many. They are few, so one statement deletes them all.
 */
export async function sweepSecrets(ctx: Context): Promise<number> {
  const endedBefore = addSeconds(ctx.now(), -ENDED_KEPT_SECONDS);
  return (await run(ctx.db, deleteEndedSecrets, { endedBefore })).length;
}
