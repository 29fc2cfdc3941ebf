import { createHash, randomBytes } from 'node:crypto';
import { once } from '../../idempotency/claim.ts';
import { recordChange } from '../../audit/record.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import { inCell, withoutCell } from '../../../platform/values/cells.ts';
import { isId } from '../../../platform/values/ids.ts';
import { publicKeyOf } from '../../../sdk/key-pairs.ts';
import { readSecrets, type Secret } from '../secrets/read.ts';
import { putInForce } from '../secrets/rotate.ts';
import { DEFAULT_OVERLAP_HOURS } from '../secrets/schemas.ts';
import { SIGNING_KEYS } from '../secrets/store.ts';
import type { Jwks, RotateSigningKeyBody, SigningKeys } from './schemas.ts';

/** Bytes of a private key, from which the public one follows (RFC 8032, 5.1.5). */
const SEED_BYTES = 32;
/**
 * Receivers may keep the set for this long: less than the shortest overlap that a merchant can use, an hour.
 */
const JWKS_MAX_AGE_SECONDS = 300;

/**
 * Creates a merchant's first key pair, or puts a new one in force while the one before overlaps. From now on
 * every event of the merchant is signed by it too. Only the public keys are returned. A merchant has keys of
 * its own: with one for all of them, an event of another merchant would pass for one of theirs.
 */
export async function rotateSigningKey(
  ctx: Context,
  { merchantId }: Caller,
  { overlap_hours = DEFAULT_OVERLAP_HOURS }: RotateSigningKeyBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const change = { merchant_id: merchantId, overlap_hours };
  const created = await once(ctx.db, claim, ctx.now(), async (tx) => {
    const inside = { ...ctx, db: tx };
    const privateKey = `whsk_${randomBytes(SEED_BYTES).toString('base64')}`;
    await putInForce(inside, { store: SIGNING_KEYS, ownerId: merchantId }, privateKey, overlap_hours);
    const keys = await getSigningKeys(inside, merchantId);
    await recordChange(ctx, tx, 'webhook signing key rotated', change);
    return reply(201, keys);
  });
  logConfigChange(ctx, 'webhook signing key rotated', change);
  return created;
}

/** The public keys of a merchant, newest first. */
export async function getSigningKeys(ctx: Context, merchantId: string): Promise<SigningKeys> {
  const keys = await readSecrets(ctx, SIGNING_KEYS, merchantId);
  return {
    jwks_url: `${ctx.config.publicUrl}/v1/webhooks/jwks/${inCell(ctx.config, merchantId)}`,
    keys: keys.map(({ secret, createdAt, expiresAt }) => ({
      kid: jwkOf(secret).kid,
      public_key: publicKeyOf(secret),
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
  };
}

/**
 * The same as a JSON Web Key Set, for anybody. It is empty for a merchant without keys, and for one that does
 * not exist: it says nothing about who is a merchant.
 */
export async function getJwks(ctx: Context, named: string): Promise<Reply> {
  const merchantId = withoutCell(named);
  const keys: readonly Secret[] = isId('mer', merchantId)
    ? await readSecrets(ctx, SIGNING_KEYS, merchantId)
    : [];
  const set: Jwks = { keys: keys.map(({ secret }) => jwkOf(secret)) };
  return { ...reply(200, set), headers: { 'Cache-Control': `public, max-age=${JWKS_MAX_AGE_SECONDS}` } };
}

function jwkOf(privateKey: string): Jwks['keys'][number] {
  const x = Buffer.from(publicKeyOf(privateKey).slice('whpk_'.length), 'base64').toString('base64url');
  // RFC 7638: the members that the kind of key requires, in the order of their names, without white space.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}
