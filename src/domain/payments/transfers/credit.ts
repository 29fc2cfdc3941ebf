import { decimalsOf, quoteUnit, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { rateOf, type Rates } from '../../chain/rates/rates.ts';
import {
  add,
  compare,
  decimalPlaces,
  divide,
  isZero,
  max,
  min,
  multiply,
  subtract,
} from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';

/**
 * What a transfer is worth. `amount`, `converted` and `returned` are in its coin, the credits in
 * pay_currency. The credit was decided when the transfer was first seen. Its coins are ordered: the lowest
 * `locked_amount` were credited at a locked rate, the others at the market's. Conversions take coins from the
 * bottom, refunds from the top: what is too much was credited last.
 */
export interface CreditedTransfer {
  readonly amount: string;
  readonly credit: string;
  /** The currency of the credits, whose smallest unit they are cut to. */
  readonly pay_currency: CoinId;
  readonly pay_network: NetworkId;
  readonly locked_amount: string;
  readonly locked_credit: string;
  /** Committed to a conversion. */
  readonly converted: string;
  /** Committed to refunds. */
  readonly returned: string;
}

/** The parts of a transfer that are fixed when it is first seen. */
export type Credit = Pick<CreditedTransfer, 'credit' | 'locked_amount' | 'locked_credit'>;

/** What a quote, while its lock holds, still asks: `asks` in its coin, which pays for `covers`. */
export interface LockedQuote {
  readonly asks: string;
  readonly covers: string;
  /** Pay currency per coin. */
  readonly rate: string;
}

/** A transfer that is seen for the first time, and what decides its credit. */
export interface NewTransfer {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  /** What the payment still misses, in pay_currency. */
  readonly missing: string;
  /** Null: no rate is locked for the coin at the time of the transfer. */
  readonly quote: LockedQuote | null;
}

/**
 * Returns the credit of a new transfer (contract, "Money"): at par in the settlement coin, in whole units of
 * it where it settles. In another coin at the locked rate as far as the quote asks and the payment misses,
 * the rest at the market's rate of the moment, rounded down: a locked rate is no option on any amount.
 * `readRates` is called only for that rest. Throws RateUnavailable.
 */
export function creditOf(
  payment: Pick<Payment, 'pay_currency' | 'pay_network'>,
  transfer: NewTransfer,
  readRates: () => Rates,
): Credit {
  const { pay_currency, pay_network } = payment;
  const { coin, amount } = transfer;
  const decimals = decimalsOf(pay_currency, pay_network);
  // The same coin may have more decimals on another network.
  if (coin === pay_currency) return { credit: cut(amount, decimals), ...NOTHING_LOCKED };
  const locked = lockedPart(transfer, decimals);
  const rest = subtract(amount, locked.locked_amount);
  if (isZero(rest)) return { ...locked, credit: locked.locked_credit };
  // Without a rate it throws: the transfer waits for one, quarantined.
  const rates = readRates();
  const [coinRate, payRate] = [rateOf(rates, coin), rateOf(rates, pay_currency)];
  const atMarket = divide(multiply(rest, coinRate), payRate, decimals, 'down');
  return { ...locked, credit: add(locked.locked_credit, atMarket) };
}

const cut = (amount: string, decimals: number): string =>
  decimalPlaces(amount) > decimals ? divide(amount, '1', decimals, 'down') : amount;

const NOTHING_LOCKED = { locked_amount: '0', locked_credit: '0' };

/**
 * The whole rest that a quote asks pays for the whole rest that it covers, although it was rounded up; so
 * does what the page asks for the rest, when another coin has paid a part of it.
 */
function lockedPart({ coin, network, amount, missing, quote }: NewTransfer, decimals: number) {
  if (quote === null || compare(min(quote.covers, missing), '0') <= 0 || compare(quote.asks, '0') <= 0)
    return NOTHING_LOCKED;
  const covers = divide(min(quote.covers, missing), '1', decimals, 'down');
  const unit = decimalPlaces(quoteUnit(coin, network));
  const asks = min(quote.asks, divide(min(quote.covers, missing), quote.rate, unit, 'up'));
  if (compare(amount, asks) >= 0) return { locked_amount: asks, locked_credit: covers };
  const part = divide(multiply(amount, quote.rate), '1', decimals, 'down');
  return { locked_amount: amount, locked_credit: min(part, covers) };
}

/** Decimals of a coin amount that is not yet cut to the coin's units. */
const COIN_DECIMALS = 18;

const unitsOf = ({ pay_currency, pay_network }: CreditedTransfer): number =>
  decimalsOf(pay_currency, pay_network);

/**
 * Returns the credit of the lowest `coins` of a transfer, at most `amount`, in whole units of the settlement
 * coin. What lies between two bottoms is their difference, so the parts of a transfer sum up to its credit.
 */
export function creditOfBottom(transfer: CreditedTransfer, coins: string): string {
  const { amount, credit, locked_amount, locked_credit } = transfer;
  if (compare(coins, amount) >= 0) return credit;
  if (compare(coins, '0') <= 0) return '0';
  if (compare(coins, locked_amount) <= 0)
    return divide(multiply(locked_credit, coins), locked_amount, unitsOf(transfer), 'down');
  const above = multiply(subtract(credit, locked_credit), subtract(coins, locked_amount));
  const atMarket = divide(above, subtract(amount, locked_amount), unitsOf(transfer), 'down');
  return add(locked_credit, atMarket);
}

/**
 * Returns the least coins, from the bottom, whose credit is `credit` (whole units of the settlement coin) or
 * more, in whole units of `decimals`.
 */
export function coinsWorth(transfer: CreditedTransfer, credit: string, decimals: number): string {
  const { amount, locked_amount, locked_credit } = transfer;
  if (compare(credit, '0') <= 0) return '0';
  if (compare(credit, transfer.credit) >= 0) return amount;
  if (compare(credit, locked_credit) <= 0)
    return min(amount, divide(multiply(credit, locked_amount), locked_credit, decimals, 'up'));
  const above = multiply(subtract(credit, locked_credit), subtract(amount, locked_amount));
  const atMarket = divide(above, subtract(transfer.credit, locked_credit), COIN_DECIMALS, 'up');
  return min(amount, divide(add(locked_amount, atMarket), '1', decimals, 'up'));
}

/** Returns the coins of a transfer that are neither converted nor sent back, nor about to be. */
export function heldOf({ amount, converted, returned }: CreditedTransfer): string {
  return max('0', subtract(amount, add(converted, returned)));
}

/** Returns the credit of what is not sent back: the part of a transfer that pays. */
export function availableCredit(transfer: CreditedTransfer): string {
  return creditOfBottom(transfer, subtract(transfer.amount, transfer.returned));
}

/** Returns the credit of what was converted. */
export function convertedCredit(transfer: CreditedTransfer): string {
  return creditOfBottom(transfer, transfer.converted);
}

/** Returns the credit of the topmost `coins` of what is not sent back. */
export function creditOfTop(transfer: CreditedTransfer, coins: string): string {
  const rest = subtract(subtract(transfer.amount, transfer.returned), coins);
  return subtract(availableCredit(transfer), creditOfBottom(transfer, rest));
}
