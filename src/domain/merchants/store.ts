import { isCoinOn, COINS_ON_NETWORKS, type CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import type { PolicyChoice } from '../payments/lifecycle/policy.ts';
import { newWebhookSecret, secretBoxOf } from '../webhooks/secrets/secret-box.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { PERMISSIONS, type Caller, type Mode, type Permission } from '../../platform/endpoint.ts';
import { hashApiKey, newApiKey, newId } from '../../platform/values/ids.ts';

/** How much of a key is kept in plain text, so that people can tell their keys apart: `sk_test_` or `sk_live_` and 5 of its 32 characters. */
const VISIBLE_PREFIX_LENGTH = 13;

export interface NewMerchant {
  readonly name: string;
  readonly currency: string;
  readonly network: string;
  readonly permissions: readonly Permission[];
  /** Default: test. */
  readonly mode?: Mode;
  /** What its payments do differently from the service's defaults. */
  readonly policy?: PolicyChoice;
  /** Where it is told of what needs a person. */
  readonly email?: string;
}

const insertMerchant = sql(
  'insert_merchant',
  `INSERT INTO merchants (id, name, settlement_currency, settlement_network, webhooks_updated_at, created_at, mode, policy, contact_email)
   VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
);
const insertSecret = sql(
  'insert_webhook_secret',
  `INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext) VALUES ($1, $2, $3, $4)`,
);

/**
 * Creates a merchant with one API key and a webhook secret. The key is answered here and never again. Throws RangeError when the
 * settlement coin does not live on the network.
 */
export async function createMerchant(
  ctx: Context,
  merchant: NewMerchant,
): Promise<{ merchantId: string; apiKey: string; webhookSecret: string }> {
  const { name, currency, network, permissions, mode = 'test', policy = {}, email = null } = merchant;
  if (!isCoinOn(currency, network)) {
    const known = COINS_ON_NETWORKS.map((pair) => `${pair.coin} on ${pair.network}`).join(', ');
    throw new RangeError(`${currency} on ${network} cannot be settled in. Choose one of: ${known}`);
  }
  const now = ctx.now();
  const merchantId = newId('mer', now);
  const webhookSecret = newWebhookSecret();
  const sealed = secretBoxOf(ctx.config).encrypt(webhookSecret, merchantId);
  const apiKey = await ctx.db.transaction(async (tx) => {
    await run(tx, insertMerchant, [
      merchantId,
      name,
      currency,
      network,
      now,
      mode,
      JSON.stringify(policy),
      email,
    ]);
    await run(tx, insertSecret, [merchantId, now, sealed.keyId, sealed.ciphertext]);
    return addApiKey(tx, merchantId, permissions, now);
  });
  return { merchantId, apiKey, webhookSecret };
}

const insertKey = sql(
  'insert_api_key',
  `INSERT INTO api_keys (key_hash, merchant_id, visible_prefix, permissions, created_at) VALUES ($1, $2, $3, $4, $5)`,
);

const modeOf = sql<{ mode: Mode }>('mode_of_merchant', `SELECT mode FROM merchants WHERE id = $1`);

/** Gives a merchant one more API key and answers it; only its hash is stored. Throws RangeError for an unknown merchant. */
export async function addApiKey(
  connection: Connection,
  merchantId: string,
  permissions: readonly Permission[],
  now: Date,
): Promise<string> {
  const merchant = await runOne(connection, modeOf, [merchantId]);
  if (merchant === null) throw new RangeError(`There is no merchant ${merchantId}`);
  const key = newApiKey(merchant.mode);
  await run(connection, insertKey, [
    hashApiKey(key),
    merchantId,
    key.slice(0, VISIBLE_PREFIX_LENGTH),
    permissions,
    now,
  ]);
  return key;
}

const revokeKeys = sql<{ visible_prefix: string }>(
  'revoke_api_keys',
  `UPDATE api_keys SET revoked_at = $3 WHERE merchant_id = $1 AND (key_hash = $4 OR visible_prefix = $2) AND revoked_at IS NULL
   RETURNING visible_prefix`,
);

/** Revokes the merchant's key given whole or by its visible prefix; answers how many keys that ended. */
export async function revokeApiKey(
  tx: Tx,
  merchantId: string,
  keyOrPrefix: string,
  now: Date,
): Promise<number> {
  return (await run(tx, revokeKeys, [merchantId, keyOrPrefix, now, hashApiKey(keyOrPrefix)])).length;
}

export interface MerchantSummary {
  readonly merchant_id: string;
  readonly name: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly network: string;
  readonly created_at: Date;
  readonly keys: readonly { prefix: string; permissions: Permission[]; revoked: boolean }[];
}

const allMerchants = sql<MerchantSummary>(
  'all_merchants',
  `SELECT m.id AS merchant_id, m.name, m.mode, m.settlement_currency AS currency, m.settlement_network AS network, m.created_at,
     coalesce(json_agg(json_build_object('prefix', k.visible_prefix, 'permissions', k.permissions, 'revoked', k.revoked_at IS NOT NULL)
       ORDER BY k.created_at) FILTER (WHERE k.key_hash IS NOT NULL), '[]') AS keys
   FROM merchants m LEFT JOIN api_keys k ON k.merchant_id = m.id GROUP BY m.id ORDER BY m.created_at, m.id`,
);

/** Every merchant with its keys' prefixes and permissions, oldest first. */
export async function listMerchants(connection: Connection): Promise<MerchantSummary[]> {
  return run(connection, allMerchants, []);
}

const updatePolicy = sql<{ id: string }>(
  'set_policy_of_merchant',
  `UPDATE merchants SET policy = $2 WHERE id = $1 RETURNING id`,
);

/** Sets what the merchant's new payments do differently from the service's defaults. Throws RangeError for an unknown merchant. */
export async function setPolicy(
  connection: Connection,
  merchantId: string,
  policy: PolicyChoice,
): Promise<void> {
  const updated = await runOne(connection, updatePolicy, [merchantId, JSON.stringify(policy)]);
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

const updateEmail = sql<{ id: string }>(
  'set_email_of_merchant',
  `UPDATE merchants SET contact_email = $2 WHERE id = $1 RETURNING id`,
);

/** Sets where the merchant is told of what needs a person. Throws RangeError for an unknown merchant. */
export async function setEmail(connection: Connection, merchantId: string, email: string): Promise<void> {
  const updated = await runOne(connection, updateEmail, [merchantId, email]);
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

const callerOfKey = sql<{
  merchant_id: string;
  settlement_currency: CoinId;
  settlement_network: NetworkId;
  permissions: Permission[];
  mode: Mode;
  policy: PolicyChoice;
}>(
  'caller_of_key',
  `SELECT m.id AS merchant_id, m.settlement_currency, m.settlement_network, k.permissions, m.mode, m.policy
   FROM api_keys k JOIN merchants m ON m.id = k.merchant_id WHERE k.key_hash = $1 AND k.revoked_at IS NULL`,
);

/** The merchant that a key belongs to; null for a key that is unknown or revoked. */
export async function findCaller(connection: Connection, keyHash: Buffer): Promise<Caller | null> {
  const row = await runOne(connection, callerOfKey, [keyHash]);
  if (row === null) return null;
  return {
    merchantId: row.merchant_id,
    settlementCurrency: row.settlement_currency,
    settlementNetwork: row.settlement_network,
    permissions: row.permissions.filter((permission) => PERMISSIONS.includes(permission)),
    mode: row.mode,
    policy: row.policy,
  };
}
