import { parse, unitOf } from './decimal.ts';

/** What the model knows of coins and networks, written down again from the contract. */

export type Network = 'bitcoin' | 'ethereum' | 'polygon' | 'tron';
/** In the order in which the service syncs networks whose blocks come at the same time. */
export const NETWORKS: readonly Network[] = ['bitcoin', 'ethereum', 'polygon', 'tron'];

export type Coin = 'BTC' | 'ETH' | 'USDC' | 'USDT';

/** A coin on a network. */
export type Method = 'BTC bitcoin' | 'ETH ethereum' | 'USDC ethereum' | 'USDC polygon' | 'USDT tron';

interface MethodTraits {
  readonly coin: Coin;
  readonly network: Network;
  /** The smallest unit of the coin. */
  readonly unit: bigint;
  /** The smallest unit that a quote asks for: at most eight decimals. */
  readonly quoteUnit: bigint;
  /** Money up to this amount is not worth a transaction. */
  readonly dust: bigint;
}

function method(coin: Coin, network: Network, decimals: number, dust: string): MethodTraits {
  return {
    coin,
    network,
    unit: unitOf(decimals),
    quoteUnit: unitOf(Math.min(8, decimals)),
    dust: parse(dust),
  };
}

export const METHODS: Readonly<Record<Method, MethodTraits>> = {
  'BTC bitcoin': method('BTC', 'bitcoin', 8, '0.00000546'),
  'ETH ethereum': method('ETH', 'ethereum', 18, '0.000001'),
  'USDC ethereum': method('USDC', 'ethereum', 6, '0.001'),
  'USDC polygon': method('USDC', 'polygon', 6, '0.001'),
  'USDT tron': method('USDT', 'tron', 6, '0.001'),
};
export const METHOD_NAMES = Object.keys(METHODS) as readonly Method[];

/** What every payment of the model settles in. */
export const SETTLEMENT: Method = 'USDC ethereum';

/** Credit is counted in the smallest unit of the settlement coin. */
export const CREDIT_UNIT = METHODS[SETTLEMENT].unit;

/** The market at the beginning: US dollars per coin. */
export const FIRST_RATES: Readonly<Record<Coin, string>> = {
  BTC: '60000',
  ETH: '3000',
  USDC: '1',
  USDT: '1',
};

export function isSettlementCoin(method: Method): boolean {
  return METHODS[method].coin === METHODS[SETTLEMENT].coin;
}
