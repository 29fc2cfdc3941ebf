import { arbitrum } from './evm/arbitrum.ts';
import { base } from './evm/base.ts';
import { bnb } from './evm/bnb.ts';
import { ethereum } from './evm/ethereum.ts';
import { optimism } from './evm/optimism.ts';
import { polygon } from './evm/polygon.ts';
import { bitcoin } from './other/bitcoin.ts';
import { solana } from './other/solana.ts';
import { tron } from './other/tron.ts';
import type { EvmNetwork, Network, OtherNetwork } from './traits/network.ts';

const TABLE = {
  bitcoin,
  ethereum,
  tron,
  polygon,
  solana,
  base,
  arbitrum,
  optimism,
  bnb,
} as const satisfies Record<string, Network>;

export type NetworkId = keyof typeof TABLE;

export type EvmNetworkId = {
  [Id in NetworkId]: (typeof TABLE)[Id]['chainId'] extends number ? Id : never;
}[NetworkId];

/** The networks, each a file of its own. */
export const NETWORKS: {
  readonly [Id in NetworkId]: Id extends EvmNetworkId ? EvmNetwork : OtherNetwork;
} = TABLE;

export const NETWORK_IDS = Object.keys(NETWORKS) as readonly NetworkId[];

/** Those that a client of JSON-RPC reads. */
export const EVM_NETWORK_IDS = NETWORK_IDS.filter((id): id is EvmNetworkId => NETWORKS[id].chainId !== null);
