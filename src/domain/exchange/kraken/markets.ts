import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';

/** What Kraken calls coins. */
export const ASSETS: Readonly<Partial<Record<CoinId, string>>> = {
  BTC: 'XBT',
  ETH: 'ETH',
  USDT: 'USDT',
  USDC: 'USDC',
  DAI: 'DAI',
};

/**
 * What Kraken calls the ways to deposit a coin on a network; its names have changed over the years. A way
 * with a memo or a tag is not among them: an address alone must do.
 */
const DEPOSIT_METHODS: Readonly<
  Partial<Record<CoinId, Readonly<Partial<Record<NetworkId, readonly string[]>>>>>
> = {
  BTC: { bitcoin: ['Bitcoin'] },
  ETH: { ethereum: ['Ether (Hex)', 'Ethereum', 'ETH - Ethereum (Unified)'] },
  USDT: { ethereum: ['Tether USD (ERC20)', 'USDT - Ethereum (Unified)'] },
  USDC: { ethereum: ['USDC', 'USDC (ERC20)', 'USDC - Ethereum (Unified)'] },
  DAI: { ethereum: ['Dai', 'DAI (ERC20)', 'DAI - Ethereum (Unified)'] },
};

/** What Kraken sells a coin for, where the coin is the base of the pair: by what it is sold for. */
const PAIRS: Readonly<Partial<Record<CoinId, Readonly<Partial<Record<CoinId, string>>>>>> = {
  USDC: { BTC: 'XBTUSDC', ETH: 'ETHUSDC' },
  USDT: { BTC: 'XBTUSDT', ETH: 'ETHUSDT', USDC: 'USDCUSDT', DAI: 'DAIUSDT' },
};

export const pairOf = (coin: CoinId, settled: CoinId): string | null => PAIRS[settled]?.[coin] ?? null;

export const depositMethodsOf = (coin: CoinId, network: NetworkId): readonly string[] =>
  DEPOSIT_METHODS[coin]?.[network] ?? [];

/** True when what comes by a method is settled in a coin at Kraken: it is that coin, or is sold for it. */
export const isSettledAtKraken = (coin: CoinId, network: NetworkId, settled: CoinId): boolean =>
  depositMethodsOf(coin, network).length > 0 && (coin === settled || pairOf(coin, settled) !== null);
