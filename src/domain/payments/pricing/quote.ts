import { compare, decimalPlaces, divide, multiply } from '../../../platform/values/money.ts';
import { quoteUnit, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { rateOf, type Rates } from '../../chain/rates/rates.ts';

/** Decimals of money in the service (contract, "Names and shapes"). */
const MONEY_DECIMALS = 18;

export interface Quote {
  readonly coin: CoinId;
  readonly network: NetworkId;
  /** What the customer sends, in units of `coin`. */
  readonly asks: string;
  /**
   * The price of one `coin` in the pay currency ("60000" for BTC against USDT), cut to 18 decimals.
   */
  readonly rate: string;
}

export interface QuoteRequest {
  /** What is still to be paid, in `payCurrency`. */
  readonly missing: string;
  readonly payCurrency: CoinId;
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/**
 * Returns the price of `missing` `payCurrency` in `coin`, rounded up to what a customer can send on
 * `network`: the merchant never receives less than the price. In the settlement coin itself the rate is
 * exactly 1, and the amount is the merchant's own text where it can be sent. Throws RangeError when the coin
 * does not exist on the network, RateUnavailable when one has no price.
 */
export function quote(asked: QuoteRequest, rates: Rates): Quote {
  const { missing, payCurrency, coin, network } = asked;
  if (coin === payCurrency) return quoteInSettlementCoin(missing, coin, network);
  const [coinRate, payRate] = [rateOf(rates, coin), rateOf(rates, payCurrency)];
  return {
    coin,
    network,
    asks: divide(multiply(missing, payRate), coinRate, sendableDecimals(coin, network), 'up'),
    rate: divide(coinRate, payRate, MONEY_DECIMALS, 'down'),
  };
}

/**
 * Returns the price in the settlement coin, without rates. Throws RangeError when it does not exist on
 * `network`.
 */
export function quoteInSettlementCoin(missing: string, coin: CoinId, network: NetworkId): Quote {
  return { coin, network, asks: sendable(missing, coin, network), rate: '1' };
}

/**
 * `amount` rounded up to what wallets and exchanges can send of `coin`: at most eight decimals, or the coin's
 * own, if fewer. Text that can be sent stays as it is.
 */
export function sendable(amount: string, coin: CoinId, network: NetworkId): string {
  const decimals = sendableDecimals(coin, network);
  return decimalPlaces(amount) > decimals ? divide(amount, '1', decimals, 'up') : amount;
}

/**
 * A quote: `asks` paid for `covers` when it was made; both are null in the settlement coin, which is at par.
 */
export interface StoredQuote {
  readonly asks: string | null;
  readonly covers: string | null;
  readonly rate: string;
}

/** Returns what is to be sent of a quote's coin for `missing`, at the quote's rate. */
export function leftToSend(
  { asks, covers, rate }: StoredQuote,
  missing: string,
  { coin, network }: { coin: CoinId; network: NetworkId },
): string {
  if (asks === null || covers === null) return sendable(missing, coin, network);
  if (compare(missing, covers) === 0) return asks;
  return divide(missing, rate, sendableDecimals(coin, network), 'up');
}

/** Returns the most decimals of an amount that wallets and exchanges can send of a coin. */
export function sendableDecimals(coin: CoinId, network: NetworkId): number {
  return decimalPlaces(quoteUnit(coin, network));
}
