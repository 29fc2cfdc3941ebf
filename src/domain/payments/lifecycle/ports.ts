import type { ChainOf, Payouts, RateSource } from '../../chain/port.ts';
import type { CoinId } from '../../chain/coins.ts';

/** Money to convert: all that a payment received, at the rate that was locked when the coin was selected. */
export interface Conversion {
  /** The payment's id. Idempotent: a reference is converted once. */
  readonly reference: string;
  readonly paid: string;
  readonly paidCurrency: string;
  readonly settled: string;
  readonly settledCurrency: CoinId;
}

/** Converts received coins into the settlement coin. */
export interface CurrencyExchange {
  convert(conversion: Conversion): Promise<'converted' | 'refused'>;
}

/** The ports that payments use; adapters.ts selects their adapters. */
export interface PaymentAdapters {
  readonly chain: ChainOf;
  readonly rates: RateSource;
  readonly payouts: Payouts;
  readonly exchange: CurrencyExchange;
}
