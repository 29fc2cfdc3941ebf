import { decimalsOf, dustOf, isInUnits, roundToUnits } from '../../chain/coins.ts';
import { ApiError, ValidationError } from '../../api/errors.ts';
import { compare, divide, max, multiply, subtract, sum } from '../../../platform/values/money.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { creditOfParts, methodOf, sendableParts, type Part } from '../conversions/plan.ts';
import { takesCoins } from '../conversions/settled.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { converts, settlesIn } from '../lifecycle/settlement.ts';
import { isRefundable, isRefunded, isSettled } from '../lifecycle/states.ts';
import { convertedCredit } from '../transfers/credit.ts';
import { isConfirmed, isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import type { Refund } from './store.ts';

/** What was settled in a coin on a network: so many coins, and what they are credited with. */
export type SettledMoney = Pick<Refund, 'coin' | 'network' | 'coin_amount' | 'amount'>;

/** What can be sent back: what was settled, and coins that are held. */
export interface Left {
  readonly settled: readonly SettledMoney[];
  readonly held: readonly Part[];
  /** In pay_currency. */
  readonly total: string;
}

/**
 * Returns what a payment can send back, when `refunded` was accepted out of what was settled. Only what
 * is confirmed of the settled money is left: what was lost, or is in no block again, is not sent back.
 */
export function leftToRefund(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  refunded: readonly SettledMoney[],
): Left {
  // A payment that is REFUNDED has sent back as much as it received, also when what a refund sent back was
  // lost afterwards: what was settled stays with the merchant.
  const settled = isSettled(payment.status) ? leftOfSettled(payment, transfers, refunded) : [];
  // What a settled payment holds is on its way to be settled, unless an exchange refused it.
  const held = sendableParts(
    transfers.filter(({ conversion }) => !isSettled(payment.status) || conversion !== null),
  );
  return { settled, held, total: sum([...settled.map(({ amount }) => amount), creditOfParts(held)]) };
}

/** In whole units, and above the dust limit, of each coin on each network; first in the settlement coin. */
function leftOfSettled(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  refunded: readonly SettledMoney[],
): SettledMoney[] {
  const { pay_currency, pay_network } = payment;
  const groups = groupBy(transfers.filter(takesCoins), (one) => methodOf(settlesIn(payment, one)));
  const left = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { coin, network } = settlesIn(payment, first);
    const back = refunded.find((one) => one.coin === coin && one.network === network);
    const rest = (all: readonly string[], of = '0') => max('0', subtract(sum(all), of));
    const credit = rest(group.map(convertedCredit), back?.amount);
    const coins = converts(payment)
      ? credit
      : rest(
          group.map(({ converted }) => converted),
          back?.coin_amount,
        );
    const coin_amount = roundToUnits(coins, coin, network, 'down');
    const amount = roundToUnits(credit, pay_currency, pay_network, 'down');
    // Where a reorganisation took what was worth more than what came later, coins are left without any worth.
    const isLeft = compare(credit, '0') > 0 && compare(coin_amount, dustOf(coin, network)) > 0;
    return isLeft ? [{ coin, network, coin_amount, amount }] : [];
  });
  const isPar = ({ coin, network }: SettledMoney) => coin === pay_currency && network === pay_network;
  return [...left.filter(isPar), ...left.filter((one) => !isPar(one))];
}

/** True for a refund of everything that is left. */
export const isWhole = (asked: string | undefined, { total }: Left): boolean =>
  asked === undefined || compare(asked, total) === 0;

/**
 * Returns what a refund of `asked` (in pay_currency; undefined: everything) takes of what was settled: a part
 * out of the coins of one kind, at the rate of their credit. Empty: none of them suffices.
 */
export function takenOfSettled(asked: string | undefined, left: Left): readonly SettledMoney[] {
  const { settled } = left;
  if (asked === undefined || isWhole(asked, left)) return settled;
  const source = settled.find(({ amount }) => compare(asked, amount) <= 0);
  if (source === undefined) return [];
  const { coin, network, amount } = source;
  const coins = divide(multiply(asked, source.coin_amount), amount, decimalsOf(coin, network), 'down');
  return [{ ...source, coin_amount: coins, amount: asked }];
}

/**
 * Throws ApiError refund_not_allowed when the payment's status or money does not allow a refund of `asked`
 * (in pay_currency; undefined: everything), and ValidationError for `field` when it is more than is left or
 * cannot be sent.
 */
export function checkRefund(
  { status, pay_currency, pay_network }: Payment,
  asked: string | undefined,
  left: Left,
  transfers: readonly PaymentTransfer[],
  field: 'amount' | 'price_amount' = 'amount',
): void {
  const { total, settled } = left;
  const refuse = (message: string) => new ApiError('refund_not_allowed', { message });
  const invalid = (constraint: string, message: string) =>
    new ValidationError(field, constraint, `${message} ${pay_currency}`);
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
  const [taken] = takenOfSettled(asked, left);
  if (taken === undefined) {
    const most = settled.map(({ amount }) => amount).reduce(max, '0');
    throw refuse(`Up to ${most} ${pay_currency} can be refunded, or everything: the rest is in other coins.`);
  }
  if (!isInUnits(asked, pay_currency, pay_network)) {
    const decimals = decimalsOf(pay_currency, pay_network);
    throw invalid('multipleOf', `must have at most ${decimals} decimals: it is paid in`);
  }
  const dust = dustOf(taken.coin, taken.network);
  if (compare(taken.coin_amount, dust) <= 0)
    throw new ValidationError(
      field,
      'exclusiveMinimum',
      `must be more than the dust limit, ${dust} ${taken.coin}`,
    );
}
