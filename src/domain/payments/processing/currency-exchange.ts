import type { CoinId } from '../../chain/coins.ts';

/** Money to convert: all that a payment received, at the rate that was locked when its coin was chosen. */
export interface Conversion {
  /** The payment's id. Asking twice with one reference converts once. */
  readonly reference: string;
  readonly paid: string;
  readonly paidCurrency: string;
  readonly settled: string;
  readonly settledCurrency: CoinId;
}

/** Where received coins become the settlement coin. A venue's client will stand here one day. */
export interface CurrencyExchange {
  convert(conversion: Conversion): Promise<'converted' | 'refused'>;
}

/** Converts everything at the locked rate, at once. */
export const simulatedCurrencyExchange: CurrencyExchange = {
  convert: () => Promise.resolve('converted'),
};
