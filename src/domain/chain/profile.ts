import type { Config } from '../../platform/config/config.ts';
import type { Mode } from '../api/endpoint.ts';
import { simulatedContract, type AddressChain } from './addresses.ts';
import { isCoinOn, testTokenContract, tokenContract, type CoinId } from './coins.ts';
import { isProofOfWork, NETWORK_IDS, NETWORKS, type NetworkId } from './networks.ts';

/** Which chains stand behind the networks. */
export interface ChainProfile {
  /** No money that is worth anything moves there. */
  readonly isTest: boolean;
  /** What people call it. */
  readonly nameOf: (network: NetworkId) => string;
  /** The chains whose addresses take money there; deposit addresses are of the first. */
  readonly addressChains: readonly [AddressChain, ...AddressChain[]];
  /** EIP-155; null: the network is no EVM network. */
  readonly chainIdOf: (network: NetworkId) => number | null;
  /** Null: the coin is native to the network. Undefined: it does not exist there. */
  readonly contractOf: (coin: CoinId, network: NetworkId) => string | null | undefined;
  /** Pages of explorers, with `{tx}` for a transaction's hash. */
  readonly explorers: Readonly<Partial<Record<NetworkId, string>>>;
}

const MAINNET: ChainProfile = {
  isTest: false,
  addressChains: ['main'],
  nameOf: (network) => NETWORKS[network].name,
  chainIdOf: (network) => NETWORKS[network].chainId,
  contractOf: (coin, network) => (isCoinOn(coin, network) ? tokenContract(coin, network) : undefined),
  explorers: Object.fromEntries(NETWORK_IDS.map((network) => [network, NETWORKS[network].explorer])),
};

/**
 * The chains of simulated payments. Their chain ids are those of test networks, and their tokens exist
 * nowhere: a wallet that opens a link finds no money to send.
 */
export const SIMULATED_CHAINS: ChainProfile = {
  isTest: true,
  addressChains: ['test', 'main'],
  nameOf: MAINNET.nameOf,
  chainIdOf: (network) => NETWORKS[network].testChainId,
  contractOf(coin, network) {
    const contract = MAINNET.contractOf(coin, network);
    return typeof contract === 'string' ? simulatedContract(coin, network) : contract;
  },
  explorers: {},
};

/** Returns the chains of live payments on real networks. */
export function realChains({ chainProfile, testnetTokens }: Pick<Config, 'chainProfile' | 'testnetTokens'>) {
  if (chainProfile === 'mainnet') return MAINNET;
  return testnet(testnetTokens, chainProfile === 'testnet' ? 'test' : 'regtest');
}

/**
 * Blocks may come late, and a poll may fail: a real network that is read up to now is behind by less. Of
 * blocks that come at random one in 160,000 lets wait twelve times as long as they do on average.
 */
export function mostSecondsBehind(
  { chainProfile }: Pick<Config, 'chainProfile'>,
  network: NetworkId,
): number {
  const { blockSeconds, testNetwork } = NETWORKS[network];
  const usual = 60 + (isProofOfWork(network) ? 12 : 3) * blockSeconds;
  return Math.max(usual, chainProfile === 'mainnet' ? 0 : (testNetwork?.mostIdleSeconds ?? 0));
}

/** Returns the chains of the payments of merchants of a mode, for who has no adapters. */
export function chainsOf(
  config: Pick<Config, 'chainProfile' | 'testnetTokens' | 'simulateLive'>,
  mode: Mode,
): ChainProfile {
  return mode === 'live' && !config.simulateLive ? realChains(config) : SIMULATED_CHAINS;
}

/** A token's contract on a main network is nothing on its test network: there is none unless one is known. */
function testnet(tokens: Readonly<Record<string, string>>, addressChain: AddressChain): ChainProfile {
  return {
    isTest: true,
    addressChains: [addressChain],
    nameOf: (network) => NETWORKS[network].testNetwork?.name ?? NETWORKS[network].name,
    chainIdOf: SIMULATED_CHAINS.chainIdOf,
    contractOf(coin, network) {
      if (NETWORKS[network].testNetwork === null) return undefined;
      const contract = MAINNET.contractOf(coin, network);
      if (typeof contract !== 'string') return contract;
      return tokens[`${coin}/${network}`] ?? testTokenContract(coin, network) ?? undefined;
    },
    explorers: Object.fromEntries(
      NETWORK_IDS.flatMap((network) => {
        const { testNetwork } = NETWORKS[network];
        return testNetwork === null ? [] : [[network, testNetwork.explorer]];
      }),
    ),
  };
}
