import { divide, isZero, multiply, writtenLike } from '../../../platform/values/money.ts';
import { isCoin } from '../../chain/coins.ts';
import { CURRENCIES, isCurrency, type CurrencyId } from '../../chain/currencies.ts';
import type { DisplayRates } from '../../chain/rates/rates.ts';

/** A price in a currency in which nobody pays. */
export interface DisplayPrice {
  readonly amount: string;
  readonly currency: CurrencyId;
}

/**
 * The price in a merchant's display currency, rounded up to its decimals; null where there is no rate, or
 * where it is too small to be written in it. For orientation only: what is sent is another amount.
 */
export function displayPrice(
  { pay_amount, pay_currency }: { readonly pay_amount: string; readonly pay_currency: string },
  currency: string | null,
  rates: DisplayRates | null,
): DisplayPrice | null {
  if (currency === null || rates === null || !isCurrency(currency) || !isCoin(pay_currency)) return null;
  const coin = rates.coins.get(pay_currency);
  const money = rates.currencies.get(currency);
  if (coin === undefined || money === undefined) return null;
  const dollars = multiply(pay_amount, coin.usd);
  const { decimals } = CURRENCIES[currency];
  const least = divide(dollars, money.usd, decimals, 'down');
  if (isZero(least)) return null;
  const amount = divide(dollars, money.usd, decimals, 'up');
  return { amount: writtenLike(amount, `0.${'0'.repeat(decimals)}`), currency };
}
