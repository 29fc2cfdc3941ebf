import { once } from '../../idempotency/claim.ts';
import { recordChange } from '../../audit/record.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import { foundOr } from '../../api/errors.ts';
import { run, runOne } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { decryptReply, encryptReply } from './encrypted-reply.ts';
import { getWebhookSecrets } from './read.ts';
import { DEFAULT_OVERLAP_HOURS, type RotateSecretBody } from './schemas.ts';
import { newWebhookSecret, secretBoxOf } from '../../../platform/secret-box.ts';
import { MERCHANT_SECRETS, SECRET_STORES, type SecretStore } from './store.ts';

export const ROTATE_PATH = '/v1/webhooks/secrets/rotate';
/** Whose secrets: a merchant's, or a registered endpoint's. */
export interface SecretOwner {
  readonly store: SecretStore;
  readonly ownerId: string;
}

/**
 * Puts a new secret in force and lets the old one overlap (contract, "Events": the new one signs X-Webhook-
 * Signature, webhook-signature carries both); returns what GET /v1/webhooks/secrets does. Concurrent
 * rotations run one after the other. The reply stored for the Idempotency-Key is encrypted like the secrets
 * themselves.
 */
export async function rotateSecret(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { overlap_hours = DEFAULT_OVERLAP_HOURS }: RotateSecretBody,
  claim: IdempotencyClaim | null,
  owner: SecretOwner = { store: MERCHANT_SECRETS, ownerId: merchantId },
): Promise<Reply> {
  const box = secretBoxOf(ctx.config);
  const change = {
    merchant_id: merchantId,
    ...(owner.ownerId === merchantId ? {} : { endpoint_id: owner.ownerId }),
    overlap_hours,
  };
  const encrypted = await once(ctx.db, claim, ctx.now(), async (tx) => {
    await putInForce({ ...ctx, db: tx }, owner, newWebhookSecret(), overlap_hours);
    const secrets = await getWebhookSecrets({ ...ctx, db: tx }, owner.ownerId, owner.store);
    await recordChange(ctx, tx, 'webhook secret rotated', change);
    return encryptReply(box, reply(200, secrets), merchantId);
  });
  logConfigChange(ctx, 'webhook secret rotated', change);
  return decryptReply(box, encrypted, merchantId);
}

/**
 * Stores a secret as its owner's current one, within the transaction of `ctx`; the one before still signs for
 * `overlapHours`. At most ten overlap (secrets/store.ts): a further rotation ends the oldest, and one without
 * overlap ends them all. Throws ApiError endpoint_not_found where the endpoint was deleted meanwhile.
 */
export async function putInForce(
  ctx: Context,
  { store, ownerId }: SecretOwner,
  secret: string,
  overlapHours: number,
): Promise<void> {
  const now = ctx.now();
  foundOr('endpoint_not_found', await runOne(ctx.db, store.lockOwner, { ownerId }));
  const overlapEnd = addSeconds(now, overlapHours * 3600);
  const ended = await run(ctx.db, store.end, { ownerId, now, overlapEnd });
  const newest = Math.max(...ended.map(({ created_at }) => created_at.getTime()));
  // The times decide which secret is the newest, so two must differ within one millisecond, and where
  // clocks disagree.
  const createdAt = new Date(Math.max(now.getTime(), newest + 1));
  const encrypted = secretBoxOf(ctx.config).encrypt(secret, store.aadOf(ownerId));
  await run(ctx.db, store.insert, { ownerId, createdAt, ...encrypted });
}

/** Nothing reads a secret that has ended; the hour covers clocks that disagree. */
const ENDED_KEPT_SECONDS = 3600;

/**
 * Deletes secrets whose overlap has ended; returns how many. They are few, so one statement for each
 * table deletes them all.
 */
export async function sweepSecrets(ctx: Context): Promise<number> {
  const endedBefore = addSeconds(ctx.now(), -ENDED_KEPT_SECONDS);
  let count = 0;
  for (const { sweep } of SECRET_STORES) count += (await run(ctx.db, sweep, { endedBefore })).length;
  return count;
}
