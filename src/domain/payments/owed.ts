import { compare, subtract, sum } from '../../platform/money.ts';
import type { Assessment } from './assess.ts';
import type { Payment } from './payment.ts';
import { allows } from './states.ts';

/** What a payment's policy sends back by itself. */
export interface Owed {
  /** Decimal string above zero, in pay_currency. */
  readonly amount: string;
  readonly reason: 'late' | 'overpaid';
}

/**
 * What is to be sent back now, by the payment's policy: everything, when late money is refunded, the payment has expired and all of it
 * has confirmed; the excess, when that is refunded and the payment is settled. `promised` is what is on its way back already. Null: nothing.
 */
export function owedBack(payment: Payment, assessment: Assessment, promised: string): Owed | null {
  const { policy, exceptions, status } = payment;
  const left = subtract(assessment.confirmed, sum([payment.amount_refunded, promised]));
  const excess = subtract(left, payment.pay_amount);
  const isSettled = allows(status, 'refunded_in_part');
  // An expired payment (late money could still move it) can only be refunded in full, so nothing may still be on its way.
  const isWholeAndLate =
    allows(status, 'transfer_seen') &&
    allows(status, 'refunded_in_full') &&
    exceptions.includes('late') &&
    compare(assessment.confirmed, assessment.received) === 0;
  if (policy.late === 'refund' && isWholeAndLate && compare(left, '0') > 0)
    return { amount: left, reason: 'late' };
  if (policy.overpaid === 'refund_excess' && isSettled && compare(excess, '0') > 0)
    return { amount: excess, reason: 'overpaid' };
  return null;
}
