import { COINS_ON_NETWORKS } from '../../chain/coins.ts';
import { NETWORKS_BY_FEE } from '../../chain/networks.ts';
import { isSame, type PaymentMethod } from '../view/offer.ts';
import type { Surroundings } from './choices.ts';

/** A method that a merchant can offer. */
export interface Offerable extends PaymentMethod {
  readonly isOffered: boolean;
  /** Payments can be settled in it now; else it must be accepted first. */
  readonly isSettled: boolean;
}

/** Returns every coin on each network that serves the merchant, cheapest network first. */
export function offerableMethods(
  { networks, settled }: Pick<Surroundings, 'networks' | 'settled'>,
  chosen: readonly PaymentMethod[] | null,
): Offerable[] {
  const served = COINS_ON_NETWORKS.filter(({ network }) => networks.includes(network));
  const place = ({ network }: PaymentMethod) => NETWORKS_BY_FEE.indexOf(network);
  return served
    .toSorted((one, other) => place(one) - place(other))
    .map((method) => {
      const isAmong = (some: readonly PaymentMethod[] | null) =>
        some === null || some.some((one) => isSame(one, method));
      return { ...method, isSettled: isAmong(settled), isOffered: isAmong(settled) && isAmong(chosen) };
    });
}

/**
 * Returns the choice that offers `wanted`: as it was where nothing differs, null where everything is offered,
 * and else in the order of before, behind which new ones stand.
 */
export function choiceOf(
  wanted: readonly PaymentMethod[],
  offerable: readonly Offerable[],
  before: readonly PaymentMethod[] | null,
): readonly PaymentMethod[] | null {
  const isWanted = (method: PaymentMethod) => wanted.some((one) => isSame(one, method));
  if (offerable.every((method) => method.isOffered === isWanted(method))) return before;
  if (offerable.every(isWanted)) return null;
  const kept = (before ?? []).filter(isWanted);
  const added = offerable.filter((method) => isWanted(method) && !kept.some((one) => isSame(one, method)));
  return [...kept, ...added].map(({ coin, network }) => ({ coin, network }));
}
