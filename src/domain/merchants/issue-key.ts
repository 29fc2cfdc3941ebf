import type { Context } from '../../platform/context.ts';
import { run, runOne, sql } from '../../platform/postgres/db.ts';
import { visiblePrefix } from '../../platform/values/cells.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { reply, type IdempotencyClaim, type Permission } from '../api/endpoint.ts';
import { recordChange } from '../audit/record.ts';
import { once } from '../idempotency/claim.ts';
import { addApiKey, revokeApiKey } from './api-keys.ts';
import type { KeyLimits } from './key-limits.ts';
import { lockMerchant } from './store.ts';

/** A page lists them all. */
export const MOST_KEYS = 100;

/** SQL: a key that is neither revoked nor has ended. */
const IS_IN_FORCE = (now: string) => `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;

const keysInForce = sql<{ count: number }, { merchantId: string; now: Date }>(
  'count_keys_in_force',
  (p) => `
    SELECT count(*)::int AS count FROM api_keys
    WHERE merchant_id = ${p.merchantId} AND ${IS_IN_FORCE(p.now)}`,
);

const updateMaker = sql<never, { keyHash: Buffer; madeBy: string }>(
  'set_maker_of_key',
  (p) => `UPDATE api_keys SET made_by = ${p.madeBy} WHERE key_hash = ${p.keyHash}`,
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
  claim: IdempotencyClaim | null,
): Promise<{ key: string } | 'made' | 'tooMany'> {
  const made: { key?: string } = {};
  const now = ctx.now();
  const { status } = await once(ctx.db, claim, now, async (tx) => {
    await lockMerchant(tx, merchantId);
    const [inForce] = await run(tx, keysInForce, { merchantId, now });
    if ((inForce?.count ?? 0) >= MOST_KEYS) return reply(409, null);
    made.key = await addApiKey(ctx.config, tx, merchantId, permissions, now, limits);
    const keyHash = hashApiKey(made.key);
    if (ctx.actor?.kind === 'person') await run(tx, updateMaker, { keyHash, madeBy: ctx.actor.actor });
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

interface OwnKey {
  readonly merchantId: string;
  readonly prefix: string;
}

const addressesOfKey = sql<{ allowed_addresses: string[] | null }, OwnKey & { now: Date }>(
  'addresses_of_key',
  (p) => `
    SELECT allowed_addresses FROM api_keys
    WHERE merchant_id = ${p.merchantId} AND visible_prefix = ${p.prefix} AND ${IS_IN_FORCE(p.now)}`,
);

const updateAddresses = sql<never, OwnKey & { addresses: readonly string[] | null; now: Date }>(
  'set_addresses_of_key',
  (p) => `
    UPDATE api_keys SET allowed_addresses = ${p.addresses}
    WHERE merchant_id = ${p.merchantId} AND visible_prefix = ${p.prefix} AND ${IS_IN_FORCE(p.now)}`,
);

/**
 * Sets from where a key of the merchant is taken, named by its visible prefix, and writes down who did, with
 * what was before. Web processes know of it within ten seconds. False: no key in force has the prefix.
 */
export async function setKeyAddresses(
  ctx: Context,
  key: OwnKey,
  addresses: KeyLimits['addresses'],
): Promise<boolean> {
  const { merchantId, prefix } = key;
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await runOne(tx, addressesOfKey, { ...key, now });
    if (before === null) return false;
    await run(tx, updateAddresses, { ...key, addresses, now });
    const details = { key: prefix, before: before.allowed_addresses, after: addresses };
    await recordChange(ctx, tx, 'API key addresses changed', { merchant_id: merchantId, ...details });
    return true;
  });
}
