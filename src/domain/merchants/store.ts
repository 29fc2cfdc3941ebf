import { isCoinOn, COINS_ON_NETWORKS } from '../chain/coins.ts';
import type { PolicyChoice } from '../payments/lifecycle/policy.ts';
import { newWebhookSecret, secretBoxOf } from '../../platform/secret-box.ts';
import { MERCHANT_SECRETS } from '../webhooks/secrets/store.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import type { Mode, Permission } from '../api/endpoint.ts';
import { newId } from '../../platform/values/ids.ts';
import { addApiKey } from './api-keys.ts';

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
  const encrypted = secretBoxOf(ctx.config).encrypt(webhookSecret, merchantId);
  const apiKey = await ctx.db.transaction(async (tx) => {
    const choices = { name, currency, network, mode, policy: JSON.stringify(policy), email };
    await run(tx, insertMerchant, { id: merchantId, now, ...choices });
    await run(tx, MERCHANT_SECRETS.insert, { ownerId: merchantId, createdAt: now, ...encrypted });
    return addApiKey(ctx.config, tx, merchantId, permissions, now);
  });
  return { merchantId, apiKey, webhookSecret };
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

/** What commands set of a merchant; no secrets, and no mail address. */
export interface MerchantSettings {
  readonly policy: PolicyChoice;
  readonly spread_bps: number;
  readonly accepted_methods: unknown;
  readonly time_zone: string;
}

const settingsOfMerchant = sql<MerchantSettings, { merchantId: string }>(
  'settings_of_merchant',
  (p) => `SELECT policy, spread_bps, accepted_methods, time_zone FROM merchants WHERE id = ${p.merchantId}`,
);

/** Returns what stands before a command sets it; null: there is no such merchant. */
export async function readSettings(
  connection: Connection,
  merchantId: string,
): Promise<MerchantSettings | null> {
  return runOne(connection, settingsOfMerchant, { merchantId });
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

/** The most that customers may pay above the market, in basis points: 20 %. */
const MOST_SPREAD_BPS = 2_000;

const updateSpread = sql<{ id: string }, { merchantId: string; bps: number }>(
  'set_spread_of_merchant',
  (p) => `UPDATE merchants SET spread_bps = ${p.bps} WHERE id = ${p.merchantId} RETURNING id`,
);

/**
 * Sets what customers pay above the market in other coins than the settlement coin, from the next quote on.
 * Throws RangeError for an unknown merchant, and unless it is a whole number of 0 to 2,000.
 */
export async function setSpread(connection: Connection, merchantId: string, bps: number): Promise<void> {
  if (!Number.isInteger(bps) || bps < 0 || bps > MOST_SPREAD_BPS)
    throw new RangeError(`--bps must be a whole number from 0 to ${MOST_SPREAD_BPS}`);
  const updated = await runOne(connection, updateSpread, { merchantId, bps });
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

const lockRow = sql<never, { merchantId: string }>(
  'lock_merchant',
  (p) => `SELECT FROM merchants WHERE id = ${p.merchantId} FOR NO KEY UPDATE`,
);

/**
 * Lets what changes things of a merchant that no row of their own stands for run one after the other: the
 * second of two requests waits until the first has ended, and then reads what it left. Payments of the
 * merchant go on meanwhile. Locked before any row of the merchant's.
 */
export async function lockMerchant(tx: Tx, merchantId: string): Promise<void> {
  await run(tx, lockRow, { merchantId });
}
