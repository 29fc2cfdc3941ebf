import type { Connection } from '../../../platform/postgres/db.ts';
import type { CoinId } from '../coins.ts';
import type { CurrencyId } from '../currencies.ts';

/** US dollars per coin, decimal strings; a coin that is absent has no price now. */
export type Rates = Readonly<Partial<Record<CoinId, string>>>;

/** What has a rate: the rates of both are in one table. */
export type RatedId = CoinId | CurrencyId;

/** A price that enough sources agree on. */
export interface Rate {
  /** US dollars per coin, or per unit of a currency. */
  readonly usd: string;
  /** The names of the sources that it is the median of. */
  readonly sources: readonly string[];
  /** The oldest of their readings. */
  readonly at: Date;
}

/** The coins that have a price now. */
export type Market = ReadonlyMap<CoinId, Rate>;

/** Reads the market of each of the merchants: it is one for all real ones, test merchants can move theirs. */
export type RateSource = (
  connection: Connection,
  merchantIds: readonly string[],
  now: Date,
) => Promise<(merchantId: string) => Market>;

/** The market of test payments. */
export interface TestMarket {
  /** Fixed prices, whatever a merchant has moved: a scenario means the same everywhere. */
  readonly fixed: RateSource;
  /**
   * Moves prices of a merchant's market; null restores one. The caller has locked the merchant. Returns all
   * of its prices.
   */
  move(
    connection: Connection,
    merchantId: string,
    rates: Readonly<Partial<Record<CoinId, string | null>>>,
  ): Promise<Readonly<Record<CoinId, string>>>;
}

/** A coin has no price that can be trusted now. Money at par goes on without one. */
export class RateUnavailable extends Error {
  override readonly name = 'RateUnavailable';
  constructor(coin: CoinId) {
    super(`${coin} has no market rate now`);
  }
}

/** Returns a coin's price in US dollars. Throws RateUnavailable. */
export function rateOf(rates: Rates, coin: CoinId): string {
  const rate = rates[coin];
  if (rate === undefined) throw new RateUnavailable(coin);
  return rate;
}

/** The currencies that have a rate now. */
export type CurrencyMarket = ReadonlyMap<CurrencyId, Rate>;

/** Reads it: one for all merchants. */
export type CurrencySource = (connection: Connection, now: Date) => Promise<CurrencyMarket>;

/** By which prices are converted for display only. */
export interface DisplayRates {
  readonly coins: Market;
  readonly currencies: CurrencyMarket;
}
