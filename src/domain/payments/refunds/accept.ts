import { schedule } from '../../schedule/store.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { newId } from '../../../platform/values/ids.ts';
import { sendRefund } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';

/** A refund as its row stores it. */
export interface Refund {
  readonly id: string;
  readonly payment_id: string;
  /** Decimal string, in `currency`. */
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  /** The customer's refund address at acceptance; null: back to the address that they paid from. */
  readonly address: string | null;
  readonly status: 'PENDING' | 'COMPLETED';
  readonly created_at: Date;
}

const insertRefund = sql<never, { refunds: string }>(
  'insert_refund',
  (p) => `
    INSERT INTO refunds (id, payment_id, amount, currency, reason, address, status, created_at)
    SELECT * FROM json_to_recordset(${p.refunds}::json) AS r (
      id text, payment_id text, amount text, currency text, reason text, address text, status text,
      created_at timestamptz)`,
);

/**
 * Stores a refund and schedules its payout. The caller has checked the amount and locked the payment's row.
 */
export async function acceptRefund(
  tx: Tx,
  payment: Payment,
  { amount, reason }: { amount: string; reason: string | null },
  now: Date,
): Promise<Refund> {
  const refund: Refund = {
    id: newId('ref', now),
    payment_id: payment.id,
    amount,
    currency: payment.pay_currency,
    reason,
    address: payment.refund_address,
    status: 'PENDING',
    created_at: now,
  };
  await run(tx, insertRefund, { refunds: recordset([refund]) });
  await schedule(tx, [{ job: sendRefund, key: refund.id, runAt: now, testClock: testClockOf(payment) }]);
  return refund;
}

const pendingOfPayments = sql<{ payment_id: string; amount: string }, { paymentIds: readonly string[] }>(
  'pending_refunds_of_payments',
  (p) => `
    SELECT payment_id, sum(amount::numeric) AS amount FROM refunds
    WHERE payment_id = ANY (${p.paymentIds}) AND status = 'PENDING'
    GROUP BY payment_id`,
);

/** Returns the sum of the pending refunds of each payment that has any, in pay_currency. */
export async function readPendingRefunds(
  tx: Tx,
  paymentIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await run(tx, pendingOfPayments, { paymentIds });
  return new Map(rows.map(({ payment_id, amount }) => [payment_id, amount]));
}
