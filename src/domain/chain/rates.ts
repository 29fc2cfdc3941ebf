import type { Context } from '../../platform/context.ts';
import type { CoinId } from './coins.ts';

/** US dollars per coin. */
export type Rates = Readonly<Record<CoinId, string>>;

/** Fixed, because the market is simulated, so that the same payment always costs the same. */
export const SIMULATED_RATES: Rates = {
  BTC: '60000',
  ETH: '3000',
  USDT: '1',
  USDC: '1',
  TRX: '0.25',
  SOL: '150',
  POL: '0.4',
  DAI: '1',
};

/** What coins are worth now. A venue's or an oracle's client will stand here one day: ask it outside any transaction. */
export function ratesOf(_ctx: Pick<Context, 'config'>): Promise<Rates> {
  return Promise.resolve(SIMULATED_RATES);
}
