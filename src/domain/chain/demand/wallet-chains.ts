import { COINS_ON_NETWORKS, COINS, tokenContract } from '../coins.ts';
import { NETWORK_IDS, NETWORKS, type NetworkId } from '../networks.ts';

/** What a wallet needs to add a chain that it does not know (`wallet_addEthereumChain`, EIP-3085). */
export interface WalletChain {
  readonly chainId: string;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls: readonly string[];
}

/** Every chain that an injected wallet can pay on, by its id as `walletTransaction` writes it. */
export const WALLET_CHAINS: Readonly<Record<string, WalletChain>> = Object.fromEntries(
  NETWORK_IDS.flatMap((network) => chainsOf(network)).map((chain) => [chain.chainId, chain]),
);

/** The network's own chain and that of its test network; none: it is no EVM network. */
function chainsOf(network: NetworkId): WalletChain[] {
  const traits = NETWORKS[network];
  if (traits.chainId === null) return [];
  const chains = [
    [traits.chainId, traits],
    [traits.testChainId, traits.testNetwork],
  ] as const;
  return chains.map(([id, { name, publicNode, explorer }]) => ({
    chainId: `0x${id.toString(16)}`,
    chainName: name,
    nativeCurrency: nativeCoinOf(network),
    rpcUrls: [publicNode],
    blockExplorerUrls: [new URL(explorer).origin],
  }));
}

/** Wallets refuse other decimals than 18. */
function nativeCoinOf(network: NetworkId): WalletChain['nativeCurrency'] {
  const native = COINS_ON_NETWORKS.find(
    (one) => one.network === network && tokenContract(one.coin, network) === null,
  );
  if (native === undefined) throw new Error(`${network} has no native coin in the table`);
  return { name: COINS[native.coin].name, symbol: native.coin, decimals: 18 };
}
