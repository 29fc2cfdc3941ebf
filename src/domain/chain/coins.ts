import { COIN_IDS, COINS, type CoinId } from '../../networks/traits/coins.ts';
import type { CoinOnNetwork } from '../../networks/traits/network.ts';
import { compare, divide } from '../../platform/values/money.ts';
import { isNetwork, NETWORK_IDS, NETWORKS, type NetworkId } from './networks.ts';

export { COIN_IDS, COINS, type CoinId } from '../../networks/traits/coins.ts';

/** Most decimals that wallets and exchanges accept in an amount to send. */
const WALLET_DECIMALS = 8;

/** Stablecoins of the US dollar. */
export const PEGGED_COINS: ReadonlySet<CoinId> = new Set(
  COIN_IDS.filter((coin) => 'isPegged' in COINS[coin]),
);

/** Every payment method: each coin on each network on which it exists. */
export const COINS_ON_NETWORKS: readonly { coin: CoinId; network: NetworkId }[] = COIN_IDS.flatMap((coin) =>
  NETWORK_IDS.filter((network) => isCoinOn(coin, network)).map((network) => ({ coin, network })),
);

/** True for the id of a coin in the table. */
export function isCoin(value: string): value is CoinId {
  return Object.hasOwn(COINS, value);
}

/** True when both are known and `coin` exists on `network`. */
export function isCoinOn(coin: string, network: string): boolean {
  return isCoin(coin) && isNetwork(network) && Object.hasOwn(NETWORKS[network].coins, coin);
}

/** Returns the decimals of `coin` on `network`. Throws RangeError when the coin does not exist there. */
export function decimalsOf(coin: CoinId, network: NetworkId): number {
  return coinOn(coin, network).decimals;
}

/**
 * Returns `amount` (0 or more) rounded to the decimals of `coin` on `network`. Throws RangeError when the
 * coin does not exist there.
 */
export function roundToUnits(
  amount: string,
  coin: CoinId,
  network: NetworkId,
  rounding: 'up' | 'down',
): string {
  return divide(amount, '1', decimalsOf(coin, network), rounding);
}

/** True when `amount` (0 or more) is a whole number of the coin's smallest units on `network`. */
export function isInUnits(amount: string, coin: CoinId, network: NetworkId): boolean {
  return compare(amount, roundToUnits(amount, coin, network, 'down')) === 0;
}

/**
 * Returns the dust limit of `coin` on `network`, a decimal string in the coin. Throws RangeError when the
 * coin does not exist there.
 */
export function dustOf(coin: CoinId, network: NetworkId): string {
  coinOn(coin, network);
  return COINS[coin].dust;
}

/**
 * Returns the smallest step of a quote in `coin` on `network`, as a decimal string: one unit of the last
 * decimal that a customer can send. Throws RangeError when the coin does not exist there.
 */
export function quoteUnit(coin: CoinId, network: NetworkId): string {
  const decimals = Math.min(WALLET_DECIMALS, decimalsOf(coin, network));
  return `0.${'1'.padStart(decimals, '0')}`;
}

/**
 * Returns the contract of `coin`; null for a native coin. Throws RangeError when it does not exist on
 * `network`.
 */
export function tokenContract(coin: CoinId, network: NetworkId): string | null {
  return coinOn(coin, network).contract;
}

/** Returns the contract of a token on the test network of `network`; null: its issuer has none there. */
export function testTokenContract(coin: CoinId, network: NetworkId): string | null {
  return coinOn(coin, network).testContract ?? null;
}

function coinOn(coin: CoinId, network: NetworkId): CoinOnNetwork {
  const found = NETWORKS[network].coins[coin];
  if (found === undefined) throw new RangeError(`${coin} does not exist on ${network}`);
  return found;
}
