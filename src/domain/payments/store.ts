import { run, runOne, sql, type Connection, type Tx } from '../../platform/db.ts';
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
  return runOne(connection, paymentOfMerchant, [id, merchantId]);
}

const paymentByToken = sql<Payment & { merchant_name: string }>(
  'payment_by_token',
  `SELECT p.*, m.name AS merchant_name FROM payments p JOIN merchants m ON m.id = p.merchant_id WHERE p.token_id = $1`,
);

/** The payment that a checkout token opens, with its merchant's name; null when there is none. */
export async function findByToken(
  connection: Connection,
  token: string,
): Promise<(Payment & { merchant_name: string }) | null> {
  return runOne(connection, paymentByToken, [token]);
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
