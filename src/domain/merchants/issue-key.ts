import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { reply, type IdempotencyClaim, type Permission } from '../api/endpoint.ts';
import { recordChange } from '../audit/record.ts';
import { once } from '../idempotency/claim.ts';
import { addApiKey, revokeApiKey, visiblePrefix } from './api-keys.ts';
import type { KeyLimits } from './key-limits.ts';
import { lockMerchant } from './store.ts';

/** A page lists them all. */
export const MOST_KEYS = 100;

const keysInForce = sql<{ count: number }, { merchantId: string; now: Date }>(
  'count_keys_in_force',
  (p) => `
    SELECT count(*)::int AS count FROM api_keys
    WHERE merchant_id = ${p.merchantId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${p.now})`,
);

interface NewKey extends KeyLimits {
  readonly merchantId: string;
  readonly permissions: readonly Permission[];
}

/**
 * Makes an API key for a person, and returns it: nothing stores it, so it can be shown this once. `made`: the
 * claim has made one before, as that of a form that was sent again. `tooMany`: MOST_KEYS are in force.
 */
export async function issueKey(
  ctx: Context,
  { merchantId, permissions, ...limits }: NewKey,
  claim: IdempotencyClaim,
): Promise<{ key: string } | 'made' | 'tooMany'> {
  const made: { key?: string } = {};
  const now = ctx.now();
  const { status } = await once(ctx.db, claim, now, async (tx) => {
    await lockMerchant(tx, merchantId);
    const [inForce] = await run(tx, keysInForce, { merchantId, now });
    if ((inForce?.count ?? 0) >= MOST_KEYS) return reply(409, null);
    made.key = await addApiKey(tx, merchantId, permissions, now, limits);
    const key = visiblePrefix(made.key);
    await recordChange(ctx, tx, 'API key created', {
      merchant_id: merchantId,
      key,
      name: limits.name,
      permissions,
      expires_at: limits.expiresAt,
      addresses: limits.addresses,
    });
    return reply(201, { key });
  });
  if (made.key !== undefined) return { key: made.key };
  return status === 409 ? 'tooMany' : 'made';
}

/** Revokes a key of the merchant by its visible prefix; false: none in force has it. */
export async function withdrawKey(ctx: Context, merchantId: string, prefix: string): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if ((await revokeApiKey(tx, merchantId, prefix, ctx.now())) === 0) return false;
    await recordChange(ctx, tx, 'API key revoked', { merchant_id: merchantId, key: prefix });
    return true;
  });
}
