import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isExpired, isSettled } from '../lifecycle/states.ts';
import { evaluate, type Evaluation } from '../transfers/evaluate.ts';
import { readTransfers } from '../transfers/store.ts';
import { acceptRefund, readPendingRefunds } from './accept.ts';

/** A refund that a payment's policy owes, without a request. */
export interface DueRefund {
  /** Decimal string above zero, in pay_currency. */
  readonly amount: string;
  readonly reason: 'late' | 'overpaid';
}

/**
 * Returns the refund that the payment's policy owes now, or null: everything, when the policy refunds late
 * money, the payment has expired and all its money is confirmed; the excess, when the policy refunds it and
 * the payment is settled. `pending` is the sum of the pending refunds.
 */
export function dueRefundOf(payment: Payment, evaluation: Evaluation, pending: string): DueRefund | null {
  const { policy, exceptions, status } = payment;
  const left = subtract(evaluation.confirmed, sum([payment.amount_refunded, pending]));
  const excess = subtract(left, payment.pay_amount);
  // An expired payment can only be refunded in full, so all its money must be confirmed.
  const isWholeAndLate =
    isExpired(status) &&
    exceptions.includes('late') &&
    compare(evaluation.confirmed, evaluation.received) === 0;
  if (policy.late === 'refund' && isWholeAndLate && compare(left, '0') > 0)
    return { amount: left, reason: 'late' };
  if (policy.overpaid === 'refund_excess' && isSettled(status) && compare(excess, '0') > 0)
    return { amount: excess, reason: 'overpaid' };
  return null;
}

const paymentsWithRefundPolicy = sql<Payment, { ids: readonly string[] }>(
  'payments_with_refund_policy',
  (p) => `
    SELECT * FROM payments
    WHERE id = ANY (${p.ids}) AND (
      (policy->>'late' = 'refund' AND 'late' = ANY (exceptions)) OR policy->>'overpaid' = 'refund_excess')`,
);

/**
 * Accepts the due refunds of the payments: late money, or an excess. The caller has locked the rows of the
 * payments, and has just moved them or recorded their money.
 */
export async function acceptDueRefunds(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const payments = await run(tx, paymentsWithRefundPolicy, { ids });
  if (payments.length === 0) return;
  const concerned = payments.map(({ id }) => id);
  const transfers = await readTransfers(tx, concerned);
  const pending = await readPendingRefunds(tx, concerned);
  for (const payment of payments) {
    const own = transfers.filter(({ payment_id }) => payment_id === payment.id);
    const due = dueRefundOf(payment, evaluate(payment, own), pending.get(payment.id) ?? '0');
    if (due !== null) await acceptRefund(tx, payment, due, now);
  }
}
