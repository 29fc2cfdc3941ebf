import { add, compare, sum } from '../../platform/values/money.ts';
import type { SignerSettings } from './settings.ts';

/** What a signature may have moved, fees included. */
export interface Spent {
  /** By the clock of the signer's machine. */
  readonly at: number;
  /** `USDC/ethereum`. */
  readonly method: string;
  /** Decimal strings in the coin, and in US dollars by the signer's own prices. */
  readonly amount: string;
  readonly usd: string;
}

interface Limits {
  readonly perIntent: string;
  readonly perHour: string;
  readonly perDay: string;
}

const HOUR_MS = 3_600_000;

/**
 * Returns the limit that a payout would exceed, in words; null: none. What was signed counts, whether or not
 * it was mined. A clock that was put back counts more than there was.
 */
export function limitMet(
  { networks, usd }: Pick<SignerSettings, 'networks' | 'usd'>,
  spent: readonly Spent[],
  payout: Spent,
): string | null {
  const [coin = '', network = ''] = payout.method.split('/');
  const own = networks[network]?.coins[coin];
  if (own === undefined) return `${payout.method} is not in the signer's configuration`;
  const ofCoin = spent.filter(({ method }) => method === payout.method);
  return (
    exceeded(own, ofCoin, payout, (one) => one.amount, coin) ??
    exceeded(usd, spent, payout, (one) => one.usd, 'USD')
  );
}

function exceeded(
  { perIntent, perHour, perDay }: Limits,
  spent: readonly Spent[],
  payout: Spent,
  valueOf: (one: Spent) => string,
  unit: string,
): string | null {
  const value = valueOf(payout);
  if (compare(value, perIntent) > 0) return `${value} ${unit} is above perIntent, ${perIntent} ${unit}`;
  const windows = [
    ['perHour', perHour, HOUR_MS],
    ['perDay', perDay, 24 * HOUR_MS],
  ] as const;
  for (const [name, most, ms] of windows) {
    const before = sum(spent.filter(({ at }) => at > payout.at - ms).map(valueOf));
    const after = add(before, value);
    if (compare(after, most) > 0)
      return `${value} ${unit} after ${before} ${unit} is above ${name}, ${most} ${unit}`;
  }
  return null;
}
