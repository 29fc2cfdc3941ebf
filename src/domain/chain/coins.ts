import { isNetwork, NETWORK_IDS, type NetworkId } from './networks.ts';

interface Coin {
  readonly name: string;
  /** The networks on which the coin lives, and the decimals of its smallest unit there. */
  readonly decimals: Readonly<Partial<Record<NetworkId, number>>>;
}

/** Where each coin lives, natively or as the token that its own issuer or foundation stands behind. */
export const COINS = {
  BTC: { name: 'Bitcoin', decimals: { bitcoin: 8 } },
  ETH: { name: 'Ether', decimals: { ethereum: 18 } },
  USDT: { name: 'Tether', decimals: { ethereum: 6, tron: 6, polygon: 6, solana: 6 } },
  USDC: { name: 'USD Coin', decimals: { ethereum: 6, polygon: 6, solana: 6 } },
  TRX: { name: 'Tronix', decimals: { tron: 6 } },
  SOL: { name: 'Solana', decimals: { solana: 9 } },
  POL: { name: 'Polygon Ecosystem Token', decimals: { ethereum: 18, polygon: 18 } },
  DAI: { name: 'Dai', decimals: { ethereum: 18, polygon: 18 } },
} as const satisfies Record<string, Coin>;

export type CoinId = keyof typeof COINS;

export const COIN_IDS = Object.keys(COINS) as readonly CoinId[];

/** Every way to pay: each coin on each network on which it lives. */
export const COINS_ON_NETWORKS: readonly { coin: CoinId; network: NetworkId }[] = COIN_IDS.flatMap((coin) =>
  NETWORK_IDS.filter((network) => isCoinOn(coin, network)).map((network) => ({ coin, network })),
);

/** True for the id of a coin in the table. */
export function isCoin(value: string): value is CoinId {
  return Object.hasOwn(COINS, value);
}

/** True when both are known and `coin` lives on `network`. */
export function isCoinOn(coin: string, network: string): boolean {
  return isCoin(coin) && isNetwork(network) && Object.hasOwn(COINS[coin].decimals, network);
}

/** Decimals of the smallest unit of `coin` on `network`. Throws RangeError where the coin does not live there. */
export function decimalsOf(coin: CoinId, network: NetworkId): number {
  const decimals: Coin['decimals'] = COINS[coin].decimals;
  const found = decimals[network];
  if (found === undefined) throw new RangeError(`${coin} does not live on ${network}`);
  return found;
}
