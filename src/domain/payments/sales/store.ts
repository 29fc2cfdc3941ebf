import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { SaleReason } from '../../exchange/port.ts';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { OPEN, IS_UNSOLD, type SaleStatus } from './states.ts';

/** Names a sale: that of the conversion of this number. */
export interface SaleKey {
  readonly payment_id: string;
  readonly number: number;
}

/** A sale that has not ended, with what it sells. */
export interface Sale extends SaleKey {
  readonly merchant_id: string;
  readonly status: SaleStatus;
  readonly reason: SaleReason | null;
  readonly is_credited: boolean;
  /** A person has decided that what is left stays as it came. */
  readonly as_received: boolean;
  /** Steps in a row that failed, and orders in a row that found no buyer. */
  readonly failures: number;
  readonly empty_orders: number;
  readonly since: Date | null;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  readonly pay_currency: CoinId;
  readonly payment_created_at: Date;
  /** Where the payment takes money on the network. */
  readonly addresses: readonly string[];
  /** What came on the chain, of which the amount is all or a part; isLost: the chain has dropped it. */
  readonly deposits: readonly {
    readonly txHash: string;
    readonly amount: string;
    readonly isLost: boolean;
  }[];
}

const unsold = sql<Sale, { paymentId: string }>(
  'unsold_of_payment',
  (p) => `
    SELECT s.payment_id, s.number, s.merchant_id, s.status, s.reason, s.is_credited, s.as_received,
      s.failures, s.empty_orders, s.since, c.coin, c.network, c.amount, p.pay_currency,
      p.created_at AS payment_created_at, ARRAY (
        SELECT DISTINCT address FROM quotes WHERE payment_id = s.payment_id AND network = c.network
      ) AS addresses, (
        SELECT json_agg(json_build_object('txHash', t.tx_hash, 'amount', t.amount::text, 'isLost',
          t.dropped_at IS NOT NULL))
        FROM transfers t WHERE t.payment_id = s.payment_id AND t.conversion = s.number) AS deposits
    FROM sales s JOIN conversions c USING (payment_id, number) JOIN payments p ON p.id = s.payment_id
    WHERE s.payment_id = ${p.paymentId} AND ${IS_UNSOLD('s')}
    ORDER BY s.number`,
);

/** Returns the sales of a payment that have not ended. */
export async function readUnsold(connection: Connection, paymentId: string): Promise<Sale[]> {
  return run(connection, unsold, { paymentId });
}

const insertSales = sql<never, { sales: string; now: Date }>(
  'insert_sales',
  (p) => `
    INSERT INTO sales (payment_id, number, merchant_id, status, created_at)
    SELECT payment_id, number, merchant_id, '${OPEN}', ${p.now}
    FROM json_to_recordset(${p.sales}::json) AS s (payment_id text, number integer, merchant_id text)
    ON CONFLICT (payment_id, number) DO NOTHING`,
);

/** Begins the sales of conversions; one that has begun goes on. The caller has locked their payments. */
export async function beginSales(
  tx: Tx,
  sales: readonly (SaleKey & Pick<Sale, 'merchant_id'>)[],
  now: Date,
): Promise<void> {
  if (sales.length > 0) await run(tx, insertSales, { sales: recordset(sales), now });
}

const lockedSale = sql<Pick<Sale, 'status' | 'as_received'>, { paymentId: string; number: number }>(
  'lock_sale',
  (p) => `
    SELECT s.status, s.as_received FROM sales s
    WHERE s.payment_id = ${p.paymentId} AND s.number = ${p.number} AND ${IS_UNSOLD('s')} FOR UPDATE`,
);

/** Locks a sale until the transaction ends; null: it has ended. */
export async function lockSale(
  tx: Tx,
  { payment_id: paymentId, number }: SaleKey,
): Promise<Pick<Sale, 'status' | 'as_received'> | null> {
  return runOne(tx, lockedSale, { paymentId, number });
}

const credit = sql<never, { paymentId: string; number: number }>(
  'credit_sale',
  (p) => `
    UPDATE sales SET is_credited = true, reason = NULL, detail = NULL, since = NULL, failures = 0
    WHERE payment_id = ${p.paymentId} AND number = ${p.number}`,
);

/** Records that the exchange has credited the account with what is sold. */
export async function markCredited(
  connection: Connection,
  { payment_id: paymentId, number }: SaleKey,
): Promise<void> {
  await run(connection, credit, { paymentId, number });
}

/** How a sale stands after a step that did not end it. */
export interface SaleNote {
  readonly status: SaleStatus;
  readonly reason: SaleReason | null;
  readonly detail: string | null;
  readonly failures: number;
  readonly emptyOrders: number;
  readonly now: Date;
}

// Since when it has not gone on, for whatever reason: one that changes all the time is none the less long.
const note = sql<never, SaleNote & { paymentId: string; number: number }>(
  'note_sale',
  (p) => `
    UPDATE sales s SET
      since = CASE WHEN ${p.reason}::text IS NULL THEN NULL
        WHEN s.status = ${p.status} THEN coalesce(s.since, ${p.now}) ELSE ${p.now} END,
      status = ${p.status}, reason = ${p.reason}, detail = ${p.detail}, failures = ${p.failures},
      empty_orders = ${p.emptyOrders}
    WHERE s.payment_id = ${p.paymentId} AND s.number = ${p.number} AND ${IS_UNSOLD('s')}`,
);

/** Records how a sale stands. The caller has locked its payment. */
export async function noteSale(
  tx: Tx,
  { payment_id: paymentId, number }: SaleKey,
  noted: SaleNote,
): Promise<void> {
  await run(tx, note, { paymentId, number, ...noted });
}
