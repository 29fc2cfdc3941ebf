import { METHODS, SETTLEMENT, type Method, type Network } from './coins.ts';
import { format, minOf, sumOf } from './decimal.ts';
import {
  availableOf,
  bottomWorth,
  creditOfBottom,
  creditOfHeld,
  creditOfTop,
  heldOf,
  toleranceOf,
  type Sent,
} from './transfers.ts';

/** A refund of the model: `credit` in the settlement coin, `coins` of `method`. */
export interface Refund {
  readonly method: Method;
  /** `settled`: out of what was converted; `held`: the very coins that came. */
  readonly source: 'held' | 'settled';
  readonly coins: bigint;
  readonly credit: bigint;
  status: 'NEEDS_ADDRESS' | 'PENDING' | 'COMPLETED';
  /** What it reserved of which transfers; none when it is paid out of what was settled. */
  readonly parts: Map<Sent, bigint>;
  /** When it is sent at the earliest. */
  sendAt: number;
}

export function describeRefund({ method, source, coins, credit, status }: Refund): string {
  return `${format(coins)} ${method} ${source} for ${format(credit)} ${status}`;
}

/** A refund whose coins are not confirmed any more is tried again after this. */
export const RETRY_MS = 600_000;

/** Parts of transfers: how much of each. */
export type Parts = ReadonlyMap<Sent, bigint>;

/** Returns the parts by coin and network, without those at or below the dust limit. */
export function aboveDust(parts: Parts): Map<Method, Map<Sent, bigint>> {
  const groups = new Map<Method, Map<Sent, bigint>>();
  for (const [sent, coins] of parts) {
    const group = groups.get(sent.method) ?? new Map<Sent, bigint>();
    groups.set(sent.method, group.set(sent, coins));
  }
  for (const [method, group] of groups)
    if (sumOf(group.values(), (coins) => coins) <= METHODS[method].dust) groups.delete(method);
  return groups;
}

/** Returns all that is held of `some`: a refund does not depend on a transfer of which it has nothing. */
export function allHeld(some: readonly Sent[]): Parts {
  return new Map(some.map((sent) => [sent, heldOf(sent)] as const).filter(([, coins]) => coins > 0n));
}

/** The credit of what a refund of `parts` sends back. */
export function creditOfParts(parts: Parts): bigint {
  return sumOf(parts, ([sent, coins]) => creditOfTop(sent, coins));
}

/**
 * Splits what is confirmed and held (oldest first) for a payment that refunds its excess: the oldest money is
 * converted until its credit reaches the price, the rest goes back. An excess that is no overpayment, or that
 * is dust in its coin, is converted as well. What conversions left is a part of the excess.
 */
export function splitExcess(
  price: bigint,
  standing: readonly Sent[],
): { converted: Map<Sent, bigint>; excess: Map<Sent, bigint> } {
  let needed = price - sumOf(standing, (sent) => creditOfBottom(sent, sent.converted));
  const left = allHeld(standing.filter(({ isConfirmed, converted }) => isConfirmed && converted > 0n));
  const excess = new Map(left);
  const waiting = standing.filter(({ isConfirmed, isOffered }) => isConfirmed && !isOffered);
  for (const sent of waiting) {
    const converted = needed > 0n ? bottomWorth(sent, needed) : 0n;
    needed -= creditOfHeld(sent, converted);
    if (heldOf(sent) > converted) excess.set(sent, heldOf(sent) - converted);
  }
  const returned = new Map<Sent, bigint>();
  const isTooMuch = creditOfParts(excess) >= toleranceOf(price, standing);
  for (const group of aboveDust(isTooMuch ? excess : left).values())
    for (const [sent, coins] of group) returned.set(sent, coins);
  const converted = new Map<Sent, bigint>();
  for (const sent of waiting) {
    const coins = heldOf(sent) - (returned.get(sent) ?? 0n);
    if (coins > 0n) converted.set(sent, coins);
  }
  return { converted, excess: returned };
}

/** What is left, in the settlement coin, of what was converted and is confirmed, less accepted `refunds`. */
export function settledLeft(confirmed: readonly Sent[], refunds: readonly Refund[]): bigint {
  const settled = sumOf(confirmed, (sent) => minOf(creditOfBottom(sent, sent.converted), availableOf(sent)));
  return settled - sumOf(refunds, ({ source, credit }) => (source === 'settled' ? credit : 0n));
}

/** What was settled in a coin, with its credit. */
export interface SettledCoins {
  readonly method: Method;
  readonly coins: bigint;
  readonly credit: bigint;
}

/**
 * What is left, above dust and of any worth, of what was settled as it came and is confirmed, less accepted
 * `refunds`: by coin, the settlement coin first.
 */
export function settledAsItCame(confirmed: readonly Sent[], refunds: readonly Refund[]): SettledCoins[] {
  const settled = confirmed.filter(({ converted }) => converted > 0n);
  const left = [...new Set(settled.map(({ method }) => method))].map((method) => {
    const own = settled.filter((sent) => sent.method === method);
    const back = refunds.filter((refund) => refund.source === 'settled' && refund.method === method);
    const coins = sumOf(own, ({ converted }) => converted) - sumOf(back, (refund) => refund.coins);
    const credit =
      sumOf(own, (sent) => creditOfBottom(sent, sent.converted)) - sumOf(back, (one) => one.credit);
    return { method, coins, credit };
  });
  const isPar = ({ method }: SettledCoins) => method === SETTLEMENT;
  const above = left.filter(({ method, coins, credit }) => credit > 0n && coins > METHODS[method].dust);
  return [...above.filter(isPar), ...above.filter((one) => !isPar(one))];
}

/** True when all money of a payment came in one coin on one network: one wallet sent it. */
export function cameFromOneWallet(method: Method, standing: readonly Sent[]): boolean {
  return standing.every((sent) => sent.method === method);
}

/** Whether an address of `to` can take a coin on `network`: Ethereum and Polygon share a format. */
export function canTake(to: Network, network: Network): boolean {
  const form = (one: Network) => (one === 'polygon' ? 'ethereum' : one);
  return form(to) === form(network);
}

/** A settled refund is a whole number of the settlement coin's units, above dust. */
export function isPayable(credit: bigint): boolean {
  const { unit, dust } = METHODS[SETTLEMENT];
  return credit > dust && credit % unit === 0n;
}
