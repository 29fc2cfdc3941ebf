import type { Connection } from '../../../platform/postgres/db.ts';
import type { CoinId } from '../coins.ts';
import type { Market, RateSource } from './rates.ts';

/** Long enough that many pages share a read, short against the age at which a price ends. */
const KEEP_MS = 5_000;

/**
 * The market as it was some seconds ago, in each process: pages offer what has a price without asking for it
 * while they are rendered. Who quotes reads the market itself.
 */
export class RecentMarket {
  readonly #source: RateSource;
  #market: Market = new Map();
  #readAt = -Infinity;

  constructor(source: RateSource) {
    this.#source = source;
  }

  /** True when the coin had a price. */
  has(coin: CoinId): boolean {
    return this.#market.has(coin);
  }

  /** Reads the market where what is known is too old; others that ask meanwhile go on with what is known. */
  async refresh(connection: Connection, now: Date): Promise<void> {
    if (now.getTime() - this.#readAt < KEEP_MS) return;
    this.#readAt = now.getTime();
    this.#market = (await this.#source(connection, [], now))('');
  }
}

/** Every coin has a price, always: that of the simulator. */
export const EVERYTHING_PRICED: Pick<RecentMarket, 'has' | 'refresh'> = {
  has: () => true,
  refresh: () => Promise.resolve(),
};
