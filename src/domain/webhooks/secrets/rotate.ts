import { Type, type Static } from 'typebox';
import { once } from '../../idempotency/claim.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { newWebhookSecret, secretBoxOf } from './secret-box.ts';
import { decryptReply, encryptReply } from './sealed-reply.ts';
import { getWebhookSecrets } from '../endpoints/settings.ts';

export const ROTATE_PATH = '/v1/webhooks/secrets/rotate';
const DEFAULT_OVERLAP_HOURS = 24;
/**
 * Rotated secrets that may overlap at once. Each of them signs each delivery: without a bound a merchant who rotates in a loop would
 * keep the workers busy, and send headers that no receiver takes.
 */
const MAX_OVERLAPPING = 10;

export const RotateSecretBody = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        default: DEFAULT_OVERLAP_HOURS,
        description:
          'How long the secret that was in force still signs webhook-signature; 0: it ends at once.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type RotateSecretBody = Static<typeof RotateSecretBody>;

// Rotations of one merchant stand in line here. (The row of the secret in force would not do: who waited for it finds it rotated away,
// and no other.) Payments are not held up: their foreign key takes a weaker lock.
const lockMerchant = sql(
  'lock_merchant_for_rotation',
  `SELECT FROM merchants WHERE id = $1 FOR NO KEY UPDATE`,
);
const endSecrets = sql<{ created_at: Date }>(
  'end_webhook_secrets',
  `UPDATE webhook_secrets SET expires_at = CASE WHEN expires_at IS NULL THEN $3::timestamptz ELSE $2 END
   WHERE merchant_id = $1 AND (expires_at IS NULL OR created_at IN (
     SELECT created_at FROM webhook_secrets WHERE merchant_id = $1 AND expires_at > $2 ORDER BY created_at DESC OFFSET ${MAX_OVERLAPPING - 1}))
   RETURNING created_at`,
);
const insertSecret = sql(
  'insert_rotated_webhook_secret',
  `INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext) VALUES ($1, $2, $3, $4)`,
);

/**
 * Puts a new secret in force and lets the old one overlap (contract, "Events": the new one signs X-Webhook-Signature, webhook-signature
 * carries both); answers what GET /v1/webhooks/secrets does. Rotations at once happen one after the other. At most ten secrets overlap;
 * a further rotation ends the oldest. The answer kept for the Idempotency-Key is sealed like the secrets themselves.
 */
export async function rotateSecret(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { overlap_hours = DEFAULT_OVERLAP_HOURS }: RotateSecretBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const box = secretBoxOf(ctx.config);
  const answer = await once(ctx.db, claim, ctx.now(), async (tx) => {
    const now = ctx.now();
    await run(tx, lockMerchant, [merchantId]);
    const ended = await run(tx, endSecrets, [merchantId, now, addSeconds(now, overlap_hours * 3600)]);
    const sealed = box.encrypt(newWebhookSecret(), merchantId);
    const newest = Math.max(...ended.map(({ created_at }) => created_at.getTime()));
    // Their times tell which is the newest: two of one millisecond, or by clocks that disagree, must not be in doubt.
    const createdAt = new Date(Math.max(now.getTime(), newest + 1));
    await run(tx, insertSecret, [merchantId, createdAt, sealed.keyId, sealed.ciphertext]);
    return encryptReply(box, reply(200, await getWebhookSecrets({ ...ctx, db: tx }, merchantId)), merchantId);
  });
  ctx.log.info('webhook secret rotated', { merchant_id: merchantId, overlap_hours });
  return decryptReply(box, answer, merchantId);
}
