import { compare, subtract, sum } from '../../../platform/values/money.ts';
import type { Evaluation } from '../transfers/evaluate.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { allows } from '../lifecycle/states.ts';

/** What a payment's policy sends back by itself. */
export interface DueRefund {
  /** Decimal string above zero, in pay_currency. */
  readonly amount: string;
  readonly reason: 'late' | 'overpaid';
}

/**
 * What is to be sent back now, by the payment's policy: everything, when late money is refunded, the payment has expired and all of it
 * has confirmed; the excess, when that is refunded and the payment is settled. `promised` is what is on its way back already. Null: nothing.
 */
export function dueRefundOf(payment: Payment, evaluation: Evaluation, promised: string): DueRefund | null {
  const { policy, exceptions, status } = payment;
  const left = subtract(evaluation.confirmed, sum([payment.amount_refunded, promised]));
  const excess = subtract(left, payment.pay_amount);
  const isSettled = allows(status, 'refunded_in_part');
  // An expired payment (late money could still move it) can only be refunded in full, so nothing may still be on its way.
  const isWholeAndLate =
    allows(status, 'transfer_seen') &&
    allows(status, 'refunded_in_full') &&
    exceptions.includes('late') &&
    compare(evaluation.confirmed, evaluation.received) === 0;
  if (policy.late === 'refund' && isWholeAndLate && compare(left, '0') > 0)
    return { amount: left, reason: 'late' };
  if (policy.overpaid === 'refund_excess' && isSettled && compare(excess, '0') > 0)
    return { amount: excess, reason: 'overpaid' };
  return null;
}
