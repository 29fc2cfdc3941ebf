import { NETWORKS } from '../networks.ts';
import { contractOf, walletUri, type Demand } from './wallet-uri.ts';

/** A link that opens a wallet on a phone, or its maker's page where the wallet is not installed. */
export interface UniversalLink {
  readonly wallet: string;
  readonly url: string;
}

/**
 * The wallets that take the network of a demand by a universal link that their makers document, and that
 * names what is to be sent and nothing else. Those that would open the page itself are left out: its URL
 * opens the payment, and a phone without the wallet would give it to another site.
 */
export function universalLinks(demand: Demand): UniversalLink[] {
  const wallets = { MetaMask: metaMask(demand), 'Trust Wallet': trustWallet(demand) };
  return Object.entries(wallets).flatMap(([wallet, url]) => (url === null ? [] : [{ wallet, url }]));
}

/** Behind its host stands an EIP-681 URI without the scheme (docs.metamask.io, "Use deeplinks"). */
function metaMask(demand: Demand): string | null {
  if (NETWORKS[demand.network].walletUri !== 'eip-681') return null;
  return walletUri(demand)?.replace(/^ethereum:/, 'https://link.metamask.io/send/') ?? null;
}

/** It knows main networks only (developer.trustwallet.com, "Deep Linking"). */
function trustWallet({ coin, network, address, amount, chains }: Demand): string | null {
  if (chains.isTest) return null;
  const contract = contractOf(chains, coin, network);
  const asset = `c${NETWORKS[network].coinType}${contract === null ? '' : `_t${contract}`}`;
  return `https://link.trustwallet.com/send?asset=${asset}&address=${address}&amount=${amount}`;
}
