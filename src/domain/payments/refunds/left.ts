import { decimalsOf, dustOf, isInUnits, roundToUnits } from '../../chain/coins.ts';
import { ApiError, ValidationError } from '../../api/errors.ts';
import { compare, max, subtract, sum } from '../../../platform/values/money.ts';
import { creditOfParts, sendableParts, type Part } from '../conversions/plan.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isRefundable, isRefunded, isSettled } from '../lifecycle/states.ts';
import { convertedCredit } from '../transfers/credit.ts';
import { isConfirmed, isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';

/** What can be sent back: a sum in the settlement coin, and coins that are held. */
export interface Left {
  readonly settled: string;
  readonly held: readonly Part[];
  /** In pay_currency. */
  readonly total: string;
}

/**
 * Returns what a payment can send back, when `refunded` was accepted out of what was settled. Only what
 * is confirmed of the converted money is left: what was lost, or is in no block again, is not sent back.
 */
export function leftToRefund(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  refunded: string,
): Left {
  const { pay_currency, pay_network } = payment;
  const converted = sum(transfers.filter(isConfirmed).map(convertedCredit));
  const whole = roundToUnits(max('0', subtract(converted, refunded)), pay_currency, pay_network, 'down');
  // A payment that is REFUNDED has sent back as much as it received, also when what a refund sent back was
  // lost afterwards: what was settled stays with the merchant.
  const isLeft = isSettled(payment.status) && compare(whole, dustOf(pay_currency, pay_network)) > 0;
  const settled = isLeft ? whole : '0';
  // What a settled payment holds is on its way to the settlement coin, unless an exchange refused it.
  const held = sendableParts(
    transfers.filter(({ conversion }) => !isSettled(payment.status) || conversion !== null),
  );
  return { settled, held, total: sum([settled, creditOfParts(held)]) };
}

/**
 * Throws ApiError refund_not_allowed when the payment's status or money does not allow a refund of `asked`
 * (in pay_currency; undefined: everything), and ValidationError when it is more than is left or cannot be
 * sent.
 */
export function checkRefund(
  { status, pay_currency, pay_network }: Payment,
  asked: string | undefined,
  { total, settled }: Left,
  transfers: readonly PaymentTransfer[],
): void {
  const refuse = (message: string) => new ApiError('refund_not_allowed', { message });
  const invalid = (constraint: string, message: string) =>
    new ValidationError('amount', constraint, `${message} ${pay_currency}`);
  if (!isRefundable(status)) throw refuse(`A payment that is ${status} cannot be refunded.`);
  const isPart = asked !== undefined && isSettled(status);
  if (compare(total, '0') <= 0 && !isPart) throw refuse('No confirmed money is left to refund.');
  // REFUNDED says that everything was sent back; what confirms later can be sent back from there.
  if (!isSettled(status) && !isRefunded(status) && !transfers.filter(isStanding).every(isConfirmed))
    throw refuse(`A payment that is ${status} can be refunded when all of its money has confirmed.`);
  if (asked === undefined) return;
  if (compare(asked, total) > 0)
    throw invalid('maximum', `must not be more than what is left to refund, ${total}`);
  if (compare(asked, total) < 0 && !isPart)
    throw refuse(`A payment that is ${status} can only be refunded in full.`);
  if (!isPart || compare(asked, total) === 0) return;
  if (compare(asked, settled) > 0)
    throw refuse(
      `Up to ${settled} ${pay_currency} can be refunded, or everything: the rest is held in other coins.`,
    );
  if (!isInUnits(asked, pay_currency, pay_network)) {
    const decimals = decimalsOf(pay_currency, pay_network);
    throw invalid('multipleOf', `must have at most ${decimals} decimals: it is paid in`);
  }
  const dust = dustOf(pay_currency, pay_network);
  if (compare(asked, dust) <= 0)
    throw invalid('exclusiveMinimum', `must be more than the dust limit, ${dust}`);
}
