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
  /**
   * The price of one `coin` in the pay currency ("60000" for BTC against USDT), cut to 18 decimals, for
   * display.
   */
  readonly rate: string;
}

export interface QuoteRequest {
  readonly payAmount: string;
  readonly payCurrency: CoinId;
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/**
 * Returns the price of `payAmount` `payCurrency` in `coin`, rounded up to the coin's smallest unit on
 * `network`: the merchant never receives less than the price. In the settlement coin itself the rate is
 * exactly 1, and the amount is the merchant's own text, even with more decimals than the coin, because
 * nothing is converted. Throws RangeError when the coin does not exist on the network.
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

/**
 * Returns the price in the settlement coin, without rates. Throws RangeError when it does not exist on
 * `network`.
 */
export function quoteInSettlementCoin(payAmount: string, coin: CoinId, network: NetworkId): Quote {
  decimalsOf(coin, network);
  return { coin, network, amount: payAmount, rate: '1' };
}

/**
 * Returns the value of `received` coins in the settlement coin at the locked rate: the same share of
 * `payAmount` as `received` is of `quotedAmount`, rounded down to 18 decimals. The whole quoted amount gives
 * `payAmount`, as it was written. It is computed from the two amounts, which are exact; a rate is rounded.
 */
export function valueOf(paid: { received: string; quotedAmount: string; payAmount: string }): string {
  const { received, quotedAmount, payAmount } = paid;
  return asWritten(divide(multiply(payAmount, received), quotedAmount, MONEY_DECIMALS, 'down'), payAmount);
}
