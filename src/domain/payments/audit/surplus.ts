import type { CoinId } from '../../chain/coins.ts';
import type { Balance } from '../../chain/port.ts';
import { add, compare, subtract } from '../../../platform/values/money.ts';
import type { DueAudit, Known } from './store.ts';

/** How much more of a coin an address holds than is known. */
export interface Surplus {
  readonly coin: CoinId;
  /** Decimal string above zero. */
  readonly amount: string;
  /** It is proven, and so is what was there before the payment: it can make money. */
  readonly isProven: boolean;
}

/**
 * Returns of which coins an address holds more than what is known to have come, and than it held before its
 * payment. Coins that left make it less: then nothing can be told. Whatever a token's balance says, its logs
 * prove what came.
 */
export function surplusesOf(
  { baseline }: Pick<DueAudit, 'baseline'>,
  held: readonly Balance[],
  known: readonly Known[],
  native: CoinId | null,
): Surplus[] {
  return held.flatMap(({ coin, amount, isProven }) => {
    const before = coin === native ? (baseline ?? '0') : '0';
    const expected = add(before, known.find((one) => one.coin === coin)?.amount ?? '0');
    if (compare(amount, expected) <= 0) return [];
    return {
      coin,
      amount: subtract(amount, expected),
      isProven: coin === native && isProven && baseline !== null,
    };
  });
}
