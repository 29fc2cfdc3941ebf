import { NETWORK_IDS, NETWORKS, type NetworkId } from '../../networks/networks.ts';
import type { FeeLevel } from '../../networks/traits/network.ts';

export { NETWORK_IDS, NETWORKS, type NetworkId } from '../../networks/networks.ts';

/** True for the id of a network in the table; "constructor" is none. */
export function isNetwork(value: string): value is NetworkId {
  return Object.hasOwn(NETWORKS, value);
}

/** Seconds until a transfer is final on average, beginning with its block. */
export function secondsToConfirm(network: NetworkId): number {
  const { blockSeconds, confirmations } = NETWORKS[network];
  return blockSeconds * confirmations;
}

/** True where blocks come at random: a minute may pass between two, or an hour. */
export function isProofOfWork(network: NetworkId): boolean {
  return NETWORKS[network].blockSeconds > 60;
}

const FEE_LEVELS: readonly FeeLevel[] = ['low', 'medium', 'high'];

/** The networks, cheapest first, and of equally cheap ones the fastest. */
export const NETWORKS_BY_FEE: readonly NetworkId[] = [...NETWORK_IDS].sort(
  (a, b) =>
    FEE_LEVELS.indexOf(NETWORKS[a].fee) - FEE_LEVELS.indexOf(NETWORKS[b].fee) ||
    secondsToConfirm(a) - secondsToConfirm(b),
);
