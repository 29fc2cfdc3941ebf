import type { FinalityRule } from '../../networks/traits/network.ts';
import { compare, max, multiply } from '../../platform/values/money.ts';
import { PEGGED_COINS, type CoinId } from './coins.ts';
import { NETWORKS, type NetworkId } from './networks.ts';
import type { Rates } from './rates/rates.ts';

/**
 * What makes a transfer final: the checkpoint `safe` or `finalized` of its chain, or so many blocks, in
 * decimal; null: the network's own number of them, as on every simulated one.
 */
export type Finality = string | null;

export type FinalityRules = Readonly<Partial<Record<NetworkId, readonly FinalityRule[]>>>;

/** What exchanges wait for at most. */
const LEAST_DEPTH = 6;

/** An amount of a coin. */
export interface Worth {
  readonly coin: CoinId;
  readonly amount: string;
}

/**
 * Returns what makes a transfer on a real network final: by the rule of the highest of these amounts, and by
 * the strictest where nobody knows what one is worth.
 */
export function finalityFor(
  network: NetworkId,
  amounts: readonly Worth[],
  rates: Rates | null,
  configured: FinalityRules,
): Finality {
  const rules = configured[network] ?? NETWORKS[network].finality ?? [];
  const dollars = amounts.map((one) => dollarsOf(one, rates));
  const known = dollars.filter((worth) => worth !== null);
  const strictest = rules.at(-1);
  const highest = known.reduce(max, '0');
  const rule =
    known.length < dollars.length
      ? strictest
      : rules.findLast(({ from }) => compare(highest, String(from)) >= 0);
  return rule === undefined ? null : String(rule.by);
}

/** Returns what an amount is worth in US dollars, where no market says it at par; null: nobody knows. */
export function dollarsOf({ coin, amount }: Worth, rates: Rates | null): string | null {
  const rate = rates?.[coin];
  if (rate !== undefined) return multiply(amount, rate);
  return PEGGED_COINS.has(coin) ? amount : null;
}

/**
 * Returns after how many blocks nothing changes any more on a network without checkpoints: as many as the
 * largest transfers wait for, and six at least, whatever the smallest do.
 */
export function greatestDepth(network: NetworkId, configured: FinalityRules): number {
  const rules = configured[network] ?? NETWORKS[network].finality ?? [];
  return Math.max(LEAST_DEPTH, ...rules.map(({ by }) => (typeof by === 'number' ? by : 0)));
}

/** Returns the blocks, a transfer's own included, that make it final; null: a checkpoint does. */
export function requiredConfirmations(network: NetworkId, finality: Finality): number | null {
  if (finality === null) return NETWORKS[network].confirmations;
  return /^\d+$/.test(finality) ? Number(finality) : null;
}

/** Returns after how many blocks a transfer is final, or mostly is. */
export function blocksToFinal(network: NetworkId, finality: Finality): number {
  const { checkpointBlocks, confirmations } = NETWORKS[network];
  const usual = finality === 'safe' || finality === 'finalized' ? checkpointBlocks?.[finality] : undefined;
  return requiredConfirmations(network, finality) ?? usual ?? confirmations;
}
