import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { isId } from '../../../platform/values/ids.ts';
import { foundOr } from '../../api/errors.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import type { Payment } from './payment.ts';
import { findQuarantined } from './quarantine.ts';

const paymentOfMerchant = sql<Payment, { id: string; merchantId: string }>(
  'payment_of_merchant',
  (p) => `SELECT * FROM payments WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

/** Returns the merchant's payment with this id; null when it does not exist or is another merchant's. */
async function findPayment(connection: Connection, merchantId: string, id: string): Promise<Payment | null> {
  // Postgres rejects some text, for example a NUL, with an error; no payment has such an id.
  return isId('pay', id) ? runOne(connection, paymentOfMerchant, { id, merchantId }) : null;
}

/** Like `findPayment`; throws ApiError payment_not_found instead of returning null. */
export async function getPayment(connection: Connection, merchantId: string, id: string): Promise<Payment> {
  return foundOr('payment_not_found', await findPayment(connection, merchantId, id));
}

const paymentsById = sql<Payment, { ids: readonly string[] }>(
  'payments_by_id',
  (p) => `SELECT * FROM payments WHERE id = ANY (${p.ids})`,
);

/** Returns the current rows of payments, in no particular order. */
export async function readPayments(connection: Connection, ids: readonly string[]): Promise<Payment[]> {
  return run(connection, paymentsById, { ids });
}

const lockById = sql<Payment, { ids: readonly string[] }>(
  'lock_payments',
  (p) => `SELECT * FROM payments WHERE id = ANY (${p.ids}) ORDER BY id FOR NO KEY UPDATE`,
);

/** Locks payments until the transaction ends, always in the order of their ids, and returns them. */
export async function lockPayments(tx: Tx, ids: readonly string[]): Promise<Payment[]> {
  return run(tx, lockById, { ids });
}

const lockOnly = sql<{ count: string }, { ids: readonly string[] }>(
  'lock_payments_to_move',
  (p) => `
    SELECT count(*) FROM (
      SELECT FROM payments WHERE id = ANY (${p.ids}) ORDER BY id FOR NO KEY UPDATE) locked`,
);

/** Like `lockPayments`, for a caller who does not look at their rows. */
export async function lockAll(tx: Tx, ids: readonly string[]): Promise<void> {
  await run(tx, lockOnly, { ids });
}

/**
 * Like `lockPayments`, without the payments whose transfers are quarantined: what is stored of them is old.
 * That is read once the locks are held: who held one before may have quarantined transfers.
 */
export async function lockSyncedPayments(tx: Tx, ids: readonly string[]): Promise<Payment[]> {
  const [payments, quarantined] = await pipelined(
    tx,
    () => lockPayments(tx, ids),
    () => findQuarantined(tx, ids),
  );
  return payments.filter(({ id }) => !quarantined.has(id));
}

/** Locks a payment until the transaction ends. Throws ApiError payment_not_found when it does not exist. */
export async function lockPayment(tx: Tx, id: string): Promise<Payment> {
  const [payment] = await lockPayments(tx, [id]);
  return foundOr('payment_not_found', payment);
}
