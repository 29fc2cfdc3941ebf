import { groupBy } from '../../../platform/postgres/db.ts';
import { decimalsOf, dustOf, roundToUnits, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { add, compare, isZero, max, min, subtract, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isConverted } from '../lifecycle/states.ts';
import { availableCredit, coinsWorth, convertedCredit, creditOfTop, heldOf } from '../transfers/credit.ts';
import { isConfirmed, isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import { toleranceOf } from '../transfers/tolerance.ts';
import { returnsExcess } from '../lifecycle/policy.ts';

/** A part of a transfer: `coins` of it, whole units above zero. */
export interface Part {
  readonly transfer: PaymentTransfer;
  readonly coins: string;
}

/** What the confirmed money of a payment that pays for its order is for. */
export interface ConversionPlan {
  /** To convert, from the bottom of each transfer. */
  readonly convert: readonly Part[];
  /** Too much, by a policy that sends the excess back, with what conversions left; from the top. */
  readonly excess: readonly Part[];
}

/** Sums per coin and network: what moves together. */
export const methodOf = ({ coin, network }: { coin: CoinId; network: NetworkId }): string =>
  `${coin} ${network}`;

/**
 * Divides the confirmed money that was never given to a conversion into what is converted and what is too
 * much. With `overpaid: keep` everything is converted. Else the newest coins above the price are the excess,
 * in whole units, unless they are less than the tolerance or not above the dust limit: then they stay. What a
 * conversion left of a transfer counts with them: it is too much already, and a plan that is made again once
 * the first part is converted must not take the rest for too little to send back.
 */
export function planConversion(payment: Payment, transfers: readonly PaymentTransfer[]): ConversionPlan {
  const waiting = transfers.filter(
    (transfer) => isConfirmed(transfer) && transfer.conversion === null && compare(heldOf(transfer), '0') > 0,
  );
  const excess = returnsExcess(payment.policy) ? excessOf(payment, waiting, transfers) : [];
  const kept = new Map(excess.map(({ transfer, coins }) => [transfer, coins]));
  const convert = waiting.map((transfer) => ({
    transfer,
    coins: subtract(heldOf(transfer), kept.get(transfer) ?? '0'),
  }));
  return { convert: convert.filter(({ coins }) => compare(coins, '0') > 0), excess };
}

/** True when confirmed money of a payment that pays for its order is not converted. */
export function hasToConvert(payment: Payment, transfers: readonly PaymentTransfer[]): boolean {
  return isConverted(payment.status) && planConversion(payment, transfers).convert.length > 0;
}

/** True when an exchange refused confirmed money, which is held since. */
export function isRefused(transfers: readonly PaymentTransfer[]): boolean {
  return transfers.some(
    (transfer) =>
      isConfirmed(transfer) &&
      transfer.conversion !== null &&
      isZero(transfer.converted) &&
      !isZero(heldOf(transfer)),
  );
}

function excessOf(
  payment: Payment,
  waiting: readonly PaymentTransfer[],
  transfers: readonly PaymentTransfer[],
): Part[] {
  const standing = transfers.filter(isStanding);
  const { pay_amount, pay_currency, pay_network } = payment;
  const missing = max('0', subtract(pay_amount, sum(standing.map(convertedCredit))));
  const needed = roundToUnits(missing, pay_currency, pay_network, 'up');
  const parts = heldParts(transfers.filter(({ converted }) => !isZero(converted)));
  let left = subtract(sum(waiting.map(availableCredit)), needed);
  const isTooMuch = compare(add(creditOfParts(parts), left), toleranceOf(payment, standing)) >= 0;
  for (const transfer of isTooMuch ? waiting.toReversed() : []) {
    const credit = min(max('0', left), availableCredit(transfer));
    const coins = coinsOfTop(transfer, credit);
    if (compare(coins, '0') > 0) parts.push({ transfer, coins });
    left = subtract(left, credit);
  }
  return aboveDust(parts);
}

/** Returns the most coins, in whole units from the top, whose credit is at most `credit`. */
function coinsOfTop(transfer: PaymentTransfer, credit: string): string {
  const { coin, network, amount, returned } = transfer;
  const rest = subtract(availableCredit(transfer), credit);
  const bottom = coinsWorth(transfer, rest, decimalsOf(coin, network));
  return roundToUnits(max('0', subtract(subtract(amount, returned), bottom)), coin, network, 'down');
}

/** Returns the parts whose coins, summed per coin and network, can be sent: above the dust limit. */
export function aboveDust(parts: readonly Part[]): Part[] {
  const groups = groupBy(parts, ({ transfer }) => methodOf(transfer));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { coin, network } = first.transfer;
    return compare(sum(group.map(({ coins }) => coins)), dustOf(coin, network)) > 0 ? group : [];
  });
}

/** Returns what is held of confirmed transfers, in whole units; dust too, which may go with other parts. */
export function heldParts(transfers: readonly PaymentTransfer[]): Part[] {
  const parts = transfers.filter(isConfirmed).map((transfer) => ({
    transfer,
    coins: roundToUnits(heldOf(transfer), transfer.coin, transfer.network, 'down'),
  }));
  return parts.filter(({ coins }) => compare(coins, '0') > 0);
}

/** Returns what is held of confirmed transfers, and can be sent back by itself. */
export const sendableParts = (transfers: readonly PaymentTransfer[]): Part[] =>
  aboveDust(heldParts(transfers));

/** Returns the credit of parts that are taken from the top of their transfers. */
export function creditOfParts(parts: readonly Part[]): string {
  return parts.reduce((total, { transfer, coins }) => add(total, creditOfTop(transfer, coins)), '0');
}
