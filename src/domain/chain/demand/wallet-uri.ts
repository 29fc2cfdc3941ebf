import { decimalsOf, tokenContract, type CoinId } from '../coins.ts';
import { SIMULATED_CHAINS, type ChainProfile } from '../profile.ts';
import type { WalletUriStandard } from '../../../networks/traits/network.ts';
import { NETWORKS, type NetworkId } from '../networks.ts';
import { divide, multiply } from '../../../platform/values/money.ts';

export interface Demand {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly address: string;
  /** What a wallet can send: no more decimals than the coin has. */
  readonly amount: string;
  /** Who is paid, and what for, as a wallet shows it where its URI has room for that. */
  readonly label?: string;
  readonly message?: string;
  /** The chains that it is paid on. Where these are simulated, wallets of the main network refuse the URI. */
  readonly chains: ChainProfile;
}

/**
 * The URI that wallets scan and open for paying `amount` of `coin` to `address` on `network`; null where a
 * simulated payment has none that a wallet of the main network refuses.
 */
export function walletUri(demand: Demand): string | null {
  return URI_BY_STANDARD[NETWORKS[demand.network].walletUri](demand);
}

/** A transaction as an injected wallet takes it (EIP-1193, `eth_sendTransaction`), numbers in hex. */
export interface WalletTransaction {
  readonly chain: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
}

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER = '0xa9059cbb';

/** What an injected wallet must send to pay `demand`; null: not on this network. */
export function walletTransaction({
  coin,
  network,
  address,
  amount,
  chains,
}: Demand): WalletTransaction | null {
  const chainId = chains.chainIdOf(network);
  if (chainId === null) return null;
  const chain = hex(chainId);
  const units = hex(unitsOf(amount, coin, network));
  const contract = contractOf(chains, coin, network);
  if (contract === null) return { chain, to: address, value: units, data: '0x' };
  const words = [address, units].map((word) => word.slice(2).toLowerCase().padStart(64, '0'));
  return { chain, to: contract, value: '0x0', data: `${TRANSFER}${words.join('')}` };
}

const hex = (value: number | string) => `0x${BigInt(value).toString(16)}`;

/** In the coin's smallest units. */
function unitsOf(amount: string, coin: CoinId, network: NetworkId): string {
  return divide(multiply(amount, `1${'0'.repeat(decimalsOf(coin, network))}`), '1', 0, 'up');
}

const URI_BY_STANDARD: Readonly<Record<WalletUriStandard, (demand: Demand) => string | null>> = {
  'bip-21': (demand) => described(`bitcoin:${demand.address}?amount=${demand.amount}`, demand),
  'eip-681': ethereumUri,
  'solana-pay': solanaUri,
  tron: tronUri,
};

/** EIP-681. Naming the chain keeps a wallet from paying with the coin of the same name on another one. */
function ethereumUri({ coin, network, address, amount, chains }: Demand): string {
  const chain = chains.chainIdOf(network);
  const units = unitsOf(amount, coin, network);
  const contract = contractOf(chains, coin, network);
  return contract === null
    ? `ethereum:${address}@${chain}?value=${units}`
    : `ethereum:${contract}@${chain}/transfer?address=${address}&uint256=${units}`;
}

/**
 * Solana Pay. It cannot name a cluster, and addresses are the same on all: a wallet would pay a simulated
 * payment with real SOL. A token's mint that does not exist is refused.
 */
function solanaUri(demand: Demand): string | null {
  const { coin, network, address, amount, chains } = demand;
  const mint = contractOf(chains, coin, network);
  if (mint === null && chains === SIMULATED_CHAINS) return null;
  return described(`solana:${address}?amount=${amount}${mint === null ? '' : `&spl-token=${mint}`}`, demand);
}

/** So many bytes fit a QR code of version 10, which has room beside the amount. */
const MAX_DESCRIBED = 271;
const MAX_LABEL = 72;

/** BIP-21 and Solana Pay call them the same. */
function described(uri: string, { label = '', message = '' }: Demand): string {
  return [
    ['&label=', label],
    ['&message=', message],
  ].reduce((described, [name = '', text = '']) => {
    const room = Math.min(MAX_LABEL, MAX_DESCRIBED - described.length - name.length);
    const encoded = encodedStart(text, room);
    return encoded === '' ? described : `${described}${name}${encoded}`;
  }, uri);
}

/** As much of a merchant's text as its percent-encoding has room for, without characters that no one sees. */
function encodedStart(text: string, room: number): string {
  let encoded = '';
  for (const character of text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()) {
    const next = encoded + encodeURIComponent(character);
    if (next.length > room) break;
    encoded = next;
  }
  return encoded;
}

/** Tron has no standard. Wallets take an amount for TRX, so a token's is left for the customer to paste. */
function tronUri({ coin, network, address, amount }: Demand): string {
  return tokenContract(coin, network) === null ? `tron:${address}?amount=${amount}` : `tron:${address}`;
}

/**
 * The token's contract, on Solana its mint; null: the coin is native to the network. Throws RangeError where
 * the coin does not exist: nobody is asked for it there.
 */
export function contractOf(chains: ChainProfile, coin: CoinId, network: NetworkId): string | null {
  const contract = chains.contractOf(coin, network);
  if (contract === undefined) throw new RangeError(`${coin} does not exist on ${chains.nameOf(network)}`);
  return contract;
}
