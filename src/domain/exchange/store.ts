import { addSeconds } from '../../platform/clock.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { ExchangeId } from './port.ts';

/** An account as its row stores it; the credentials are encrypted. */
export interface AccountRow {
  readonly merchant_id: string;
  readonly exchange: ExchangeId;
  readonly key_id: string;
  readonly ciphertext: Buffer;
  /** How far below the reference rate a coin is sold at most. */
  readonly slippage_percent: string;
  /** The last that a request got. */
  readonly nonce: string;
  readonly created_at: Date;
  /** Since when no new payment takes money there. */
  readonly retired_at: Date | null;
}

/** SQL: whether new payments take money at the account `a`. */
export const IS_ACCOUNT_IN_USE = (a: string): string => `${a}.retired_at IS NULL`;

interface NewAccount {
  readonly merchantId: string;
  readonly exchange: ExchangeId;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly slippagePercent: string;
  /** Behind which those of the key continue. */
  readonly nonce: string;
  readonly now: Date;
}

const upsertAccount = sql<never, NewAccount>(
  'set_exchange_account',
  (p) => `
    INSERT INTO exchange_accounts (merchant_id, exchange, key_id, ciphertext, slippage_percent, nonce,
      created_at)
    VALUES (${p.merchantId}, ${p.exchange}, ${p.keyId}, ${p.ciphertext}, ${p.slippagePercent}, ${p.nonce},
      ${p.now})
    ON CONFLICT (merchant_id) DO UPDATE SET exchange = excluded.exchange, key_id = excluded.key_id,
      ciphertext = excluded.ciphertext, slippage_percent = excluded.slippage_percent,
      nonce = greatest(exchange_accounts.nonce, excluded.nonce), created_at = excluded.created_at,
      retired_at = NULL`,
);

/** Stores the account of a merchant in place of the one before. */
export async function storeAccount(connection: Connection, account: NewAccount): Promise<void> {
  await run(connection, upsertAccount, account);
}

const accountOfMerchant = sql<AccountRow, { merchantId: string }>(
  'exchange_account_of_merchant',
  (p) => `
    SELECT merchant_id, exchange, key_id, ciphertext, slippage_percent, nonce, created_at, retired_at
    FROM exchange_accounts WHERE merchant_id = ${p.merchantId}`,
);

/** Returns the account of a merchant, in use or not; null: there is none. */
export async function findAccount(connection: Connection, merchantId: string): Promise<AccountRow | null> {
  return runOne(connection, accountOfMerchant, { merchantId });
}

const retire = sql<{ merchant_id: string }, { merchantId: string; now: Date }>(
  'retire_exchange_account',
  (p) => `
    UPDATE exchange_accounts SET retired_at = ${p.now}
    WHERE merchant_id = ${p.merchantId} AND retired_at IS NULL RETURNING merchant_id`,
);

/** Ends the use of an account for new payments; false: it had ended, or there is none. */
export async function retireAccount(connection: Connection, merchantId: string, now: Date): Promise<boolean> {
  return (await runOne(connection, retire, { merchantId, now })) !== null;
}

const raiseNonce = sql<{ nonce: string }, { merchantId: string; least: string }>(
  'raise_exchange_nonce',
  (p) => `
    UPDATE exchange_accounts SET nonce = greatest(nonce + 1, ${p.least}::bigint)
    WHERE merchant_id = ${p.merchantId} RETURNING nonce`,
);

/**
 * Returns a nonce above all that any process has got for the account, near the clock's microseconds. In a
 * statement of its own: the row's lock is held for a moment, and never across a request.
 */
export async function nextNonce(connection: Connection, merchantId: string, now: Date): Promise<string> {
  const row = await runOne(connection, raiseNonce, { merchantId, least: String(now.getTime() * 1_000) });
  if (row === null) throw new Error(`the exchange account of ${merchantId} was removed`);
  return row.nonce;
}

/** An account as operators see it. */
export interface AccountSummary {
  readonly merchant_id: string;
  readonly exchange: ExchangeId;
  readonly slippage_percent: string;
  readonly created_at: Date;
  readonly retired_at: Date | null;
  /** Its deposit addresses, and how many of them no payment has had yet. */
  readonly addresses: number;
  readonly unused: number;
}

const allAccounts = sql<AccountSummary>(
  'list_exchange_accounts',
  `SELECT a.merchant_id, a.exchange, a.slippage_percent::text, a.created_at, a.retired_at,
     count(d.address)::int AS addresses,
     count(d.address) FILTER (WHERE d.given_at IS NULL)::int AS unused
   FROM exchange_accounts a LEFT JOIN exchange_addresses d
     ON d.merchant_id = a.merchant_id AND d.retired_at IS NULL
   GROUP BY a.merchant_id ORDER BY a.merchant_id`,
);

/** Returns every account, in use or not, without its credentials. */
export async function listAccounts(connection: Connection): Promise<AccountSummary[]> {
  return run(connection, allAccounts, []);
}

/** Longer than a payment takes money for after an account was retired, its rest included. */
const LAST_MONEY_SECONDS = 49 * 3_600;

// Index: sales_unsold.
const otherAccount = sql<
  { is_other: boolean },
  { merchantId: string; addresses: readonly string[]; retiredSince: Date }
>(
  'is_other_exchange_account',
  (p) => `
    SELECT bool_or(a.given_at IS NOT NULL) AND NOT bool_or(a.address = ANY (${p.addresses}))
      AND (EXISTS (
        SELECT FROM exchange_accounts WHERE merchant_id = ${p.merchantId}
          AND coalesce(retired_at > ${p.retiredSince}, true))
      OR EXISTS (
        SELECT FROM sales WHERE merchant_id = ${p.merchantId} AND status <> 'ENDED')) AS is_other
    FROM exchange_addresses a WHERE a.merchant_id = ${p.merchantId}`,
);

/**
 * True when an account that lists these addresses is not the one at which payments of a merchant take money,
 * or have money to be sold: a sale that goes on there would look its orders up where nobody knows them.
 */
export async function isOtherAccount(
  connection: Connection,
  merchantId: string,
  addresses: readonly string[],
  now: Date,
): Promise<boolean> {
  const retiredSince = addSeconds(now, -LAST_MONEY_SECONDS);
  return (await runOne(connection, otherAccount, { merchantId, addresses, retiredSince }))?.is_other === true;
}
