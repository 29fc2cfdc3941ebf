import { RPC_NETWORKS } from '../../platform/config/chains.ts';
import type { Context } from '../../platform/context.ts';
import { compare } from '../../platform/values/money.ts';
import { EvmClient } from './evm/client.ts';
import { dollarsOf } from './finality.ts';
import { NETWORKS, type NetworkId } from './networks.ts';
import type { ChainTransfer } from './port.ts';
import { realChains } from './profile.ts';

/** The client of a real network, in the watcher. */
export interface WatchedClient {
  readonly network: NetworkId;
  readonly client: EvmClient;
}

/** Creates the clients of the networks that have providers. The caller must close them. */
export function createChainClients({ config, now }: Pick<Context, 'config' | 'now'>): WatchedClient[] {
  const chains = realChains(config);
  return RPC_NETWORKS.flatMap((network) => {
    const providers = config.rpc[network];
    if (providers === undefined) return [];
    const { confirmations: depth } = NETWORKS[network];
    const chainId = chains.chainIdOf(network);
    if (chainId === null) return [];
    const needsQuorum = (transfer: ChainTransfer) => isLarge(transfer, providers.quorumUsd);
    const options = { network, chainId, urls: providers.urls, finality: { hasCheckpoints: true, depth } };
    const { contractOf } = chains;
    return [{ network, client: new EvmClient({ ...options, contractOf, needsQuorum }, now) }];
  });
}

/** No payment is as high: who sets this asks for no second opinion. */
export const NEVER_USD = 1e9;

/** What nobody knows the worth of is large. */
function isLarge(transfer: ChainTransfer, quorumUsd: number): boolean {
  if (quorumUsd >= NEVER_USD) return false;
  const dollars = dollarsOf(transfer, null);
  return dollars === null || compare(dollars, String(quorumUsd)) >= 0;
}
