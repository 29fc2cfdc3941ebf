import { isCoinOn, COINS_ON_NETWORKS, type CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import type { PolicyChoice } from '../payments/lifecycle/policy.ts';
import { newWebhookSecret, secretBoxOf } from '../webhooks/secrets/secret-box.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { PERMISSIONS, type Caller, type Mode, type Permission } from '../../platform/endpoint.ts';
import { hashApiKey, newApiKey, newId } from '../../platform/values/ids.ts';

/**
 * Stored in plain text, so that people can tell their keys apart: `sk_test_` or `sk_live_` and 5 of the 32
 * characters.
 */
const VISIBLE_PREFIX_LENGTH = 13;

export interface NewMerchant {
  readonly name: string;
  readonly currency: string;
  readonly network: string;
  readonly permissions: readonly Permission[];
  /** Default: test. */
  readonly mode?: Mode;
  /** Where its payments differ from the service's defaults. */
  readonly policy?: PolicyChoice;
  /** The address for notices that need a person. */
  readonly email?: string;
}

interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly network: string;
  readonly mode: Mode;
  /** JSON. */
  readonly policy: string;
  readonly email: string | null;
  readonly now: Date;
}

const insertMerchant = sql<never, MerchantRow>(
  'insert_merchant',
  (p) => `INSERT INTO merchants (
     id, name, settlement_currency, settlement_network,
     webhooks_updated_at, created_at, mode, policy, contact_email
   ) VALUES (
     ${p.id}, ${p.name}, ${p.currency}, ${p.network},
     ${p.now}, ${p.now}, ${p.mode}, ${p.policy}, ${p.email}
   )`,
);
const insertSecret = sql<never, { merchantId: string; now: Date; keyId: string; ciphertext: Buffer }>(
  'insert_webhook_secret',
  (p) => `INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext)
   VALUES (${p.merchantId}, ${p.now}, ${p.keyId}, ${p.ciphertext})`,
);

/**
 * Creates a merchant with one API key and a webhook secret. The key is returned here and never again. Throws
 * RangeError when the settlement coin is not on the network.
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
    const choices = { name, currency, network, mode, policy: JSON.stringify(policy), email };
    await run(tx, insertMerchant, { id: merchantId, now, ...choices });
    await run(tx, insertSecret, { merchantId, now, keyId: sealed.keyId, ciphertext: sealed.ciphertext });
    return addApiKey(tx, merchantId, permissions, now);
  });
  return { merchantId, apiKey, webhookSecret };
}

interface KeyRow {
  readonly keyHash: Buffer;
  readonly merchantId: string;
  readonly visiblePrefix: string;
  readonly permissions: readonly Permission[];
  readonly now: Date;
}

const insertKey = sql<never, KeyRow>(
  'insert_api_key',
  (p) => `INSERT INTO api_keys (key_hash, merchant_id, visible_prefix, permissions, created_at)
   VALUES (${p.keyHash}, ${p.merchantId}, ${p.visiblePrefix}, ${p.permissions}, ${p.now})`,
);

const modeOf = sql<{ mode: Mode }, { merchantId: string }>(
  'mode_of_merchant',
  (p) => `SELECT mode FROM merchants WHERE id = ${p.merchantId}`,
);

/**
 * Adds an API key to a merchant and returns it; only its hash is stored. Throws RangeError for an unknown
 * merchant.
 */
export async function addApiKey(
  connection: Connection,
  merchantId: string,
  permissions: readonly Permission[],
  now: Date,
): Promise<string> {
  const merchant = await runOne(connection, modeOf, { merchantId });
  if (merchant === null) throw new RangeError(`There is no merchant ${merchantId}`);
  const key = newApiKey(merchant.mode);
  const visiblePrefix = key.slice(0, VISIBLE_PREFIX_LENGTH);
  await run(connection, insertKey, { keyHash: hashApiKey(key), merchantId, visiblePrefix, permissions, now });
  return key;
}

const revokeKeys = sql<
  { visible_prefix: string },
  { merchantId: string; keyOrPrefix: string; keyHash: Buffer; now: Date }
>(
  'revoke_api_keys',
  (p) => `UPDATE api_keys SET revoked_at = ${p.now}
   WHERE merchant_id = ${p.merchantId} AND (key_hash = ${p.keyHash} OR visible_prefix = ${p.keyOrPrefix})
     AND revoked_at IS NULL
   RETURNING visible_prefix`,
);

/** Revokes the merchant's key, given whole or by its visible prefix; returns how many keys that revoked. */
export async function revokeApiKey(
  tx: Tx,
  merchantId: string,
  keyOrPrefix: string,
  now: Date,
): Promise<number> {
  const keyHash = hashApiKey(keyOrPrefix);
  return (await run(tx, revokeKeys, { merchantId, keyOrPrefix, keyHash, now })).length;
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
  'list_merchants',
  `SELECT m.id AS merchant_id, m.name, m.mode,
     m.settlement_currency AS currency, m.settlement_network AS network, m.created_at,
     coalesce(json_agg(json_build_object(
         'prefix', k.visible_prefix, 'permissions', k.permissions, 'revoked', k.revoked_at IS NOT NULL
       ) ORDER BY k.created_at) FILTER (WHERE k.key_hash IS NOT NULL), '[]') AS keys
   FROM merchants m LEFT JOIN api_keys k ON k.merchant_id = m.id
   GROUP BY m.id ORDER BY m.created_at, m.id`,
);

/** Every merchant with its keys' prefixes and permissions, oldest first. */
export async function listMerchants(connection: Connection): Promise<MerchantSummary[]> {
  return run(connection, allMerchants, []);
}

const updatePolicy = sql<{ id: string }, { merchantId: string; policy: string }>(
  'set_policy_of_merchant',
  (p) => `UPDATE merchants SET policy = ${p.policy} WHERE id = ${p.merchantId} RETURNING id`,
);

/**
 * Sets where the merchant's new payments differ from the service's defaults. Throws RangeError for an unknown
 * merchant.
 */
export async function setPolicy(
  connection: Connection,
  merchantId: string,
  policy: PolicyChoice,
): Promise<void> {
  const updated = await runOne(connection, updatePolicy, { merchantId, policy: JSON.stringify(policy) });
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

const updateEmail = sql<{ id: string }, { merchantId: string; email: string }>(
  'set_email_of_merchant',
  (p) => `UPDATE merchants SET contact_email = ${p.email} WHERE id = ${p.merchantId} RETURNING id`,
);

/** Sets the address for notices that need a person. Throws RangeError for an unknown merchant. */
export async function setEmail(connection: Connection, merchantId: string, email: string): Promise<void> {
  const updated = await runOne(connection, updateEmail, { merchantId, email });
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

interface CallerRow {
  readonly merchant_id: string;
  readonly settlement_currency: CoinId;
  readonly settlement_network: NetworkId;
  readonly permissions: Permission[];
  readonly mode: Mode;
  readonly policy: PolicyChoice;
}

const callerOfKey = sql<CallerRow, { keyHash: Buffer }>(
  'caller_of_key',
  (p) => `SELECT m.id AS merchant_id, m.settlement_currency, m.settlement_network,
     k.permissions, m.mode, m.policy
   FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
   WHERE k.key_hash = ${p.keyHash} AND k.revoked_at IS NULL`,
);

/** The merchant of an API key; null when the key is unknown or revoked. */
export async function findCaller(connection: Connection, keyHash: Buffer): Promise<Caller | null> {
  const row = await runOne(connection, callerOfKey, { keyHash });
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
