import { asWritten, divide, multiply } from '../../../platform/values/money.ts';
import { decimalsOf, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Rates } from '../../chain/port.ts';

/** Decimals of money in the service (contract, "Names and shapes"). */
const MONEY_DECIMALS = 18;

export interface Quote {
  readonly coin: CoinId;
  readonly network: NetworkId;
  /** What the customer sends, in units of `coin`. */
  readonly amount: string;
  /** The price of one `coin` in the pay currency ("60000" for BTC against USDT), cut to 18 decimals: for people to read. */
  readonly rate: string;
}

export interface QuoteRequest {
  readonly payAmount: string;
  readonly payCurrency: CoinId;
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/**
 * What a payment of `payAmount` `payCurrency` costs in `coin`, rounded up to the coin's smallest unit on `network`: the merchant
 * never gets less than the price. Where the customer pays in the settlement coin itself the rate is exactly 1 and the amount is
 * the merchant's own text, even where that has more decimals than the coin: it is what was asked for, and nothing is converted.
 * Throws RangeError when the coin does not exist on the network.
 */
export function quote(asked: QuoteRequest, rates: Rates): Quote {
  const { payAmount, payCurrency, coin, network } = asked;
  if (coin === payCurrency) return quoteInSettlementCoin(payAmount, coin, network);
  const decimals = decimalsOf(coin, network);
  return {
    coin,
    network,
    amount: divide(multiply(payAmount, rates[payCurrency]), rates[coin], decimals, 'up'),
    rate: divide(rates[coin], rates[payCurrency], MONEY_DECIMALS, 'down'),
  };
}

/** The price in the settlement coin itself, which needs no market. Throws RangeError when the coin does not exist on the network. */
export function quoteInSettlementCoin(payAmount: string, coin: CoinId, network: NetworkId): Quote {
  decimalsOf(coin, network);
  return { coin, network, amount: payAmount, rate: '1' };
}

/**
 * What `received` coins are worth in the settlement coin at the rate locked by the quote: the same share of `payAmount` as
 * `received` is of `quotedAmount`, rounded down to 18 decimals. All of the quoted amount gives `payAmount`, as it was written.
 * It needs no rate: a rate is rounded, the two amounts are exact.
 */
export function valueOf(paid: { received: string; quotedAmount: string; payAmount: string }): string {
  const { received, quotedAmount, payAmount } = paid;
  return asWritten(divide(multiply(payAmount, received), quotedAmount, MONEY_DECIMALS, 'down'), payAmount);
}
