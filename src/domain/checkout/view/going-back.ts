import { max, subtract, sum, writtenLike } from '../../../platform/values/money.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { returnsExcess } from '../../payments/lifecycle/policy.ts';
import { paysForOrder } from '../../payments/lifecycle/states.ts';
import { hasReturnableMoney } from '../../payments/refunds/refund-address.ts';
import type { CheckoutPayment } from './store.ts';

/** The page asks where money goes back to, or shows it; null: no money goes back. */
export type RefundStep = 'ask' | 'known' | null;

/** What the page of a payment asks or shows of where money goes back to. */
export function refundTo(payment: CheckoutPayment): RefundStep {
  if (payment.refund_address !== null) return 'known';
  return canAskForAddress(payment) ? 'ask' : null;
}

/** Of a payment that pays for its order only what is too much goes back, unless a refund waits. */
export function goesBack(payment: CheckoutPayment): string {
  const { refund_amount, refund_coin, needs_address, status, pay_amount, pay_currency } = payment;
  if (refund_amount !== null && (needs_address || !paysForOrder(status)))
    return `${writtenLike(refund_amount, pay_amount)} ${refund_coin}`;
  const left = subtract(payment.amount_received, returned(payment));
  const rest = paysForOrder(status) ? subtract(left, pay_amount) : left;
  return `${writtenLike(max(rest, '0'), pay_amount)} ${pay_currency}`;
}

/** True while the page asks where money goes back to: a refund waits for it, or may follow. */
export function canAskForAddress(payment: CheckoutPayment): boolean {
  if (payment.refund_address !== null) return false;
  const accepted = { ...payment, amount_refunded: returned(payment) };
  return payment.needs_address || (hasReturnableMoney(accepted) && !isKept(payment));
}

/** What went back, or is on its way to an address: no other can be given for that. */
function returned({ amount_refunded, amount_underway }: CheckoutPayment): string {
  return sum([amount_refunded, amount_underway]);
}

/** What was paid too much stays with the merchant by policy: it goes back only when they refund it. */
function isKept({ status, policy }: Payment): boolean {
  return paysForOrder(status) && !returnsExcess(policy);
}
