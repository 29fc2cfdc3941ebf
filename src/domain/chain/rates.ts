import type { CoinId } from './coins.ts';

/** US dollars per coin: fixed, because the market is simulated, so that the same payment always costs the same. */
export const USD_PER_COIN: Readonly<Record<CoinId, string>> = {
  BTC: '60000',
  ETH: '3000',
  USDT: '1',
  USDC: '1',
  TRX: '0.25',
  SOL: '150',
  POL: '0.4',
  DAI: '1',
};
