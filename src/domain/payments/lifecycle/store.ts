import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { isId } from '../../../platform/values/ids.ts';
import type { Payment } from './payment.ts';

const paymentOfMerchant = sql<Payment>(
  'payment_of_merchant',
  `SELECT * FROM payments WHERE id = $1 AND merchant_id = $2`,
);

/** The merchant's payment with this id; null when there is none, or when it is another merchant's. */
export async function findPayment(
  connection: Connection,
  merchantId: string,
  id: string,
): Promise<Payment | null> {
  // Postgres refuses some text, a NUL for instance, with an error; no payment has an id like that.
  return isId('pay', id) ? runOne(connection, paymentOfMerchant, [id, merchantId]) : null;
}

const paymentsById = sql<Payment>('payments_by_id', `SELECT * FROM payments WHERE id = ANY ($1)`);

/** Payments as they are at the moment, in no particular order. */
export async function readPayments(connection: Connection, ids: readonly string[]): Promise<Payment[]> {
  return run(connection, paymentsById, [ids]);
}

const lockById = sql<Payment>(
  'lock_payments',
  `SELECT * FROM payments WHERE id = ANY ($1) ORDER BY id FOR UPDATE`,
);

/** Locks payments until the transaction ends, always in the order of their ids, and answers them. */
export async function lockPayments(tx: Tx, ids: readonly string[]): Promise<Payment[]> {
  return run(tx, lockById, [ids]);
}

const pendingRefundTotals = sql<{ payment_id: string; amount: string }>(
  'promised_refunds',
  `SELECT payment_id, sum(amount::numeric) AS amount FROM refunds
   WHERE payment_id = ANY ($1) AND status = 'PENDING' GROUP BY payment_id`,
);

/** What refunds that are on their way take from each of the payments, where there are any; in pay_currency. */
export async function readPendingRefunds(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await run(tx, pendingRefundTotals, [ids]);
  return new Map(rows.map(({ payment_id, amount }) => [payment_id, amount]));
}
