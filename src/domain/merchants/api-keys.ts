import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import type { PolicyChoice } from '../payments/lifecycle/policy.ts';
import { IS_IN_USE } from '../chain/wallets/store.ts';
import { IS_ACCOUNT_IN_USE } from '../exchange/store.ts';
import { PERMISSIONS, type Caller, type Mode, type Permission } from '../api/endpoint.ts';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { newApiKey, visiblePrefix, type CellSetting } from '../../platform/values/cells.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { NO_LIMITS, type KeyLimits } from './key-limits.ts';

interface KeyRow extends KeyLimits {
  readonly keyHash: Buffer;
  readonly merchantId: string;
  /** Stored in plain text, so that people can distinguish their keys. */
  readonly visiblePrefix: string;
  readonly permissions: readonly Permission[];
  readonly now: Date;
}

const insertKey = sql<never, KeyRow>(
  'insert_api_key',
  (p) => `INSERT INTO api_keys
     (key_hash, merchant_id, visible_prefix, permissions, created_at, name, expires_at, allowed_addresses)
   VALUES (${p.keyHash}, ${p.merchantId}, ${p.visiblePrefix}, ${p.permissions}, ${p.now}, ${p.name},
     ${p.expiresAt}, ${p.addresses})`,
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
  setting: CellSetting,
  connection: Connection,
  merchantId: string,
  permissions: readonly Permission[],
  now: Date,
  limits: KeyLimits = NO_LIMITS,
): Promise<string> {
  const merchant = await runOne(connection, modeOf, { merchantId });
  if (merchant === null) throw new RangeError(`There is no merchant ${merchantId}`);
  const key = newApiKey(merchant.mode, setting);
  const row = { keyHash: hashApiKey(key), merchantId, visiblePrefix: visiblePrefix(key), permissions, now };
  await run(connection, insertKey, { ...row, ...limits });
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

interface CallerRow {
  readonly merchant_id: string;
  readonly settlement_currency: CoinId;
  readonly settlement_network: NetworkId;
  readonly permissions: Permission[];
  readonly expires_at: Date | null;
  readonly allowed_addresses: string[] | null;
  readonly mode: Mode;
  readonly policy: PolicyChoice;
  readonly is_suspended: boolean;
  readonly has_moved: boolean;
  readonly wallets: Readonly<Record<string, string>> | null;
  readonly exchange: string | null;
}

/**
 * SQL: the columns of a caller. Its wallets and its exchange are part of it: a live payment asks nothing;
 * of two for a family, its own and the default, the later key counts. Index: wallet_in_use, for each of the
 * two.
 */
const CALLER = `m.id AS merchant_id, m.settlement_currency, m.settlement_network,
     k.permissions, k.expires_at, k.allowed_addresses, m.mode, m.policy, m.suspended_at IS NOT NULL AS is_suspended,
     EXISTS (SELECT FROM merchant_moves v WHERE v.merchant_id = m.id AND v.step NOT IN ('announced', 'arriving'))
       AS has_moved,
     CASE WHEN m.mode = 'live' THEN (
       SELECT json_object_agg(w.family, w.id ORDER BY w.merchant_id NULLS FIRST) FROM wallets w
       WHERE coalesce(w.merchant_id, '') IN (m.id, '') AND ${IS_IN_USE}) END AS wallets,
     CASE WHEN m.mode = 'live' THEN (
       SELECT e.exchange FROM exchange_accounts e
       WHERE e.merchant_id = m.id AND ${IS_ACCOUNT_IN_USE('e')}) END AS exchange`;

const callerOfKey = sql<CallerRow, { keyHash: Buffer }>(
  'caller_of_key',
  (p) => `SELECT ${CALLER}
   FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
   WHERE k.key_hash = ${p.keyHash} AND k.revoked_at IS NULL`,
);

/** The merchant of an API key; null when the key is unknown or revoked. */
export async function findCaller(connection: Connection, keyHash: Buffer): Promise<Caller | null> {
  const row = await runOne(connection, callerOfKey, { keyHash });
  return row === null ? null : toCaller(row);
}

const callerOfMerchant = sql<CallerRow, { merchantId: string }>(
  'caller_of_merchant',
  (p) => `SELECT ${CALLER}
   FROM merchants m CROSS JOIN (SELECT '{}'::text[] AS permissions, NULL::timestamptz AS expires_at,
     NULL::text[] AS allowed_addresses) k
   WHERE m.id = ${p.merchantId}`,
);

/** A merchant as the caller of what its own page does for a customer: it has no key, thus no permission. */
export async function findMerchant(connection: Connection, merchantId: string): Promise<Caller | null> {
  const row = await runOne(connection, callerOfMerchant, { merchantId });
  return row === null ? null : toCaller(row);
}

const callersOfKeys = sql<CallerRow & { hash: string }, { keys: string }>(
  'callers_of_keys',
  (p) => `SELECT asked.hash, ${CALLER}
   FROM json_to_recordset(${p.keys}::json) AS asked (hash text)
     JOIN api_keys k ON k.key_hash = decode(asked.hash, 'hex')
     JOIN merchants m ON m.id = k.merchant_id
   WHERE k.revoked_at IS NULL`,
);

/** The merchants of several API keys, by their hash in hex; unknown and revoked ones are left out. */
export async function findCallers(
  connection: Connection,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Caller>> {
  const keys = recordset(hashes.map((hash) => ({ hash })));
  const rows = await run(connection, callersOfKeys, { keys });
  return new Map(rows.map((row) => [row.hash, toCaller(row)]));
}

function toCaller(row: CallerRow): Caller {
  return {
    merchantId: row.merchant_id,
    settlementCurrency: row.settlement_currency,
    settlementNetwork: row.settlement_network,
    permissions: row.permissions.filter((permission) => PERMISSIONS.includes(permission)),
    mode: row.mode,
    policy: row.policy,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.allowed_addresses === null ? {} : { addresses: row.allowed_addresses }),
    ...(row.wallets === null ? {} : { wallets: row.wallets }),
    ...(row.exchange === null ? {} : { exchange: row.exchange }),
    ...(row.is_suspended ? { isSuspended: true } : {}),
    ...(row.has_moved ? { hasMoved: true } : {}),
  };
}
