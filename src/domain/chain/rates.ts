import type { CoinId } from './coins.ts';
import type { CurrencyId } from './currencies.ts';

/** US dollars per coin. */
export type Rates = Readonly<Record<CoinId, string>>;

/** Reads the market rates; must be called outside any transaction. */
export type RateSource = () => Promise<Rates>;

/** By which prices are converted for display only, in US dollars: per coin, and per unit of a currency. */
export interface DisplayRates {
  readonly coins: Rates;
  readonly currencies: Readonly<Record<CurrencyId, string>>;
}

/**
 * Reads the rates for display. Its caller waits for at most a second, keeps them for a minute, and shows no
 * such price where they are not to be had.
 */
export type DisplayRateSource = () => Promise<DisplayRates>;
