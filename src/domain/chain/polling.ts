import type { Context } from '../../platform/context.ts';
import { NETWORKS, type NetworkId } from './networks.ts';

/** A network is polled as often as it makes blocks, within these bounds: a transfer must be seen soon. */
const SLOWEST_POLL_SECONDS = 5;
const FASTEST_POLL_SECONDS = 0.2;

/** The length of a network's blocks. */
export function blockSeconds({ config }: Pick<Context, 'config'>, network: NetworkId): number {
  return config.blockSeconds ?? NETWORKS[network].blockSeconds;
}

/** Seconds between two polls of a network. */
export function pollSeconds(ctx: Pick<Context, 'config'>, network: NetworkId): number {
  return Math.min(SLOWEST_POLL_SECONDS, Math.max(FASTEST_POLL_SECONDS, blockSeconds(ctx, network)));
}
