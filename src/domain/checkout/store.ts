import type { Payment } from '../payments/payment.ts';
import { runOne, sql, type Connection } from '../../platform/db.ts';
import type { Mode } from '../../platform/endpoint.ts';

/** A payment as its page needs it. */
export interface CheckoutPayment extends Payment {
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  /** Until when `crypto_amount` holds; null: for as long as the payment does. */
  readonly locked_until: Date | null;
}

const paymentByToken = sql<CheckoutPayment>(
  'payment_by_token',
  `SELECT p.*, m.name AS merchant_name, m.mode AS merchant_mode, q.locked_until
   FROM payments p JOIN merchants m ON m.id = p.merchant_id
     LEFT JOIN quotes q ON q.payment_id = p.id AND q.coin = p.coin AND q.network = p.network
   WHERE p.token_id = $1`,
);

/** The payment that a checkout token opens; null when there is none. */
export async function findByToken(connection: Connection, token: string): Promise<CheckoutPayment | null> {
  return /^[\w-]{16,64}$/.test(token) ? runOne(connection, paymentByToken, [token]) : null;
}
