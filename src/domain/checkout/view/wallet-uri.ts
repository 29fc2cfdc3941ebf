import { decimalsOf, tokenContract, type CoinId } from '../../chain/coins.ts';
import { NETWORKS, type NetworkId, type WalletUriStandard } from '../../chain/networks.ts';
import { divide, multiply } from '../../../platform/values/money.ts';

export interface Demand {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly address: string;
  /** What a wallet can send: no more decimals than the coin has. */
  readonly amount: string;
}

/**
 * `amount` rounded up to what can be sent: a price in the settlement coin itself may have more decimals than
 * the coin.
 */
export function payable(amount: string, coin: CoinId, network: NetworkId): string {
  const decimals = decimalsOf(coin, network);
  return (amount.split('.')[1] ?? '').length > decimals ? divide(amount, '1', decimals, 'up') : amount;
}

/** The URI that wallets scan and open for paying `amount` of `coin` to `address` on `network`. */
export function walletUri(demand: Demand): string {
  return URI_BY_STANDARD[NETWORKS[demand.network].walletUri](demand);
}

const URI_BY_STANDARD: Readonly<Record<WalletUriStandard, (demand: Demand) => string>> = {
  'bip-21': ({ address, amount }) => `bitcoin:${address}?amount=${amount}`,
  'eip-681': ethereumUri,
  'solana-pay': solanaUri,
  tron: tronUri,
};

/** EIP-681. Naming the chain keeps a wallet from paying with the coin of the same name on another one. */
function ethereumUri({ coin, network, address, amount }: Demand): string {
  const { chainId } = NETWORKS[network];
  const units = divide(multiply(amount, `1${'0'.repeat(decimalsOf(coin, network))}`), '1', 0, 'up');
  const contract = tokenContract(coin, network);
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${units}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${units}`;
}

/** Solana Pay. */
function solanaUri({ coin, network, address, amount }: Demand): string {
  const mint = tokenContract(coin, network);
  return `solana:${address}?amount=${amount}${mint === null ? '' : `&spl-token=${mint}`}`;
}

/** Tron has no standard. Wallets take an amount for TRX, so a token's is left for the customer to paste. */
function tronUri({ coin, network, address, amount }: Demand): string {
  return tokenContract(coin, network) === null ? `tron:${address}?amount=${amount}` : `tron:${address}`;
}
