import { CREDIT_UNIT, METHODS, SETTLEMENT, type Method } from './coins.ts';
import { maxOf, minOf, ratioDown, sumOf } from './decimal.ts';

/** A transfer as the model keeps it: amounts in its coin, credit in the settlement coin. */
export interface Sent {
  readonly method: Method;
  readonly amount: bigint;
  /** The order in which the service first knew of them. */
  place: number;
  /** When it came: first seen or, when it had lapsed, mined. */
  seenAt: number;
  /** Until when it holds rate and deadline while it is unmined. */
  heldUntil: number;
  /** It was not mined in time: it does not count until it is. */
  isLapsed: boolean;
  /** Height of the block that holds it, or that will. */
  block: number;
  isDropped: boolean;
  /** As of the latest sync of its network. */
  isConfirmed: boolean;
  credit: bigint;
  lockedAmount: bigint;
  lockedCredit: bigint;
  /** It was offered to the exchange, which may have refused it: it is not offered again. */
  isOffered: boolean;
  /** Committed to a conversion: the bottom of the amount. */
  converted: bigint;
  /** Committed to a refund: the top of the amount. */
  returned: bigint;
}

/**
 * Returns the credit of the lowest `amount` coins: the locked part lies below the part at the market's rate.
 */
export function creditOfBottom(sent: Sent, amount: bigint): bigint {
  if (amount >= sent.amount) return sent.credit;
  if (amount <= sent.lockedAmount)
    return amount === 0n ? 0n : ratioDown(sent.lockedCredit, amount, sent.lockedAmount, CREDIT_UNIT);
  const above = [sent.credit - sent.lockedCredit, amount - sent.lockedAmount] as const;
  return sent.lockedCredit + ratioDown(...above, sent.amount - sent.lockedAmount, CREDIT_UNIT);
}

/** Neither converted nor sent back. */
export function heldOf({ amount, converted, returned }: Sent): bigint {
  return amount - converted - returned;
}

/** What is sent back does not pay. */
export function availableOf(sent: Sent): bigint {
  return creditOfBottom(sent, sent.amount - sent.returned);
}

/** The credit of the lowest `amount` coins that are held. */
export function creditOfHeld(sent: Sent, amount: bigint): bigint {
  return creditOfBottom(sent, sent.converted + amount) - creditOfBottom(sent, sent.converted);
}

/** The credit of the highest `amount` coins that are not sent back yet. */
export function creditOfTop(sent: Sent, amount: bigint): bigint {
  return availableOf(sent) - creditOfBottom(sent, sent.amount - sent.returned - amount);
}

/**
 * Returns the fewest coins of the held bottom whose credit is at least `credit`; all when none are enough.
 */
export function bottomWorth(sent: Sent, credit: bigint): bigint {
  const { unit } = METHODS[sent.method];
  let [few, many] = [0n, heldOf(sent) / unit];
  while (few < many) {
    const middle = (few + many) / 2n;
    if (creditOfHeld(sent, middle * unit) >= credit) many = middle;
    else few = middle + 1n;
  }
  return few * unit;
}

/**
 * Returns the difference from which a payment is under- or overpaid: the greatest, over the coins that came
 * and the settlement coin, of the value of a quote's unit and of the dust limit, which counts up to a
 * hundredth of the price. Of the coins that came those count of which more than dust has confirmed. Values
 * are exact to 10^-18.
 */
export function toleranceOf(price: bigint, standing: readonly Sent[]): bigint {
  const own = METHODS[SETTLEMENT];
  let tolerance = maxOf(own.quoteUnit, minOf(own.dust, price / 100n));
  const confirmed = standing.filter(({ isConfirmed }) => isConfirmed);
  for (const { method, credit, amount } of confirmed) {
    const { quoteUnit, dust } = METHODS[method];
    const same = confirmed.filter((other) => other.method === method);
    if (sumOf(same, (one) => one.amount) <= dust) continue;
    const value = (coins: bigint) => ratioDown(coins, credit, amount, 1n);
    tolerance = maxOf(tolerance, maxOf(value(quoteUnit), minOf(value(dust), price / 100n)));
  }
  return tolerance;
}

/** What is still missing of the price, never below zero. */
export function missingOf(price: bigint, standing: readonly Sent[]): bigint {
  return maxOf(0n, price - sumOf(standing, availableOf));
}
