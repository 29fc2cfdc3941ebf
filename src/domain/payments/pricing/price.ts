import { Type } from 'typebox';
import { AMOUNT_PATTERN } from '../../api/patterns.ts';
import { amount, timestamp } from '../../api/schemas.ts';
import { ApiError, ValidationError } from '../../api/errors.ts';
import { CURRENCIES, CURRENCY_IDS, type CurrencyId } from '../../chain/currencies.ts';
import type { Connection } from '../../../platform/postgres/db.ts';
import { divide } from '../../../platform/values/money.ts';
import type { CheckoutPrice } from '../../../sdk/event-types.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { sendableDecimals } from './quote.ts';

/** A price in money, as payments, refunds and events say it and rows store it. */
export const Price = Type.Unsafe<CheckoutPrice>(
  Type.Object({
    amount: Type.String({ description: 'As it was given.' }),
    currency: Type.Enum([...CURRENCY_IDS], { description: 'ISO 4217.' }),
    rate: Type.String({
      description: 'What a coin of pay_currency costs in currency: amount is divided by it, and rounded up.',
    }),
    rated_at: timestamp('When the older of the two prices was made of which the rate is the quotient.'),
    sources: Type.Array(Type.String(), { description: 'Who agrees on them.' }),
  }),
);

const currencyField = (description: string) => Type.Optional(Type.Enum([...CURRENCY_IDS], { description }));

/** What a new payment asks for. */
export const COST_FIELDS = {
  pay_amount: Type.Optional(
    amount("Amount in the merchant's settlement currency; or else price_amount and price_currency."),
  ),
  price_amount: Type.Optional(
    amount('Price with at most the decimals of its currency: converted once, now, and rounded up.'),
  ),
  price_currency: currencyField('Currency of price_amount, by its code in ISO 4217.'),
};

/** A payment asks for an amount, or for a price: one of the two, and not both. */
export const AMOUNT_OR_PRICE = {
  if: { properties: { price_amount: {} }, required: ['price_amount'] },
  then: { properties: { pay_amount: { not: {} }, price_currency: {} }, required: ['price_currency'] },
  else: { properties: { pay_amount: {}, price_currency: { not: {} } }, required: ['pay_amount'] },
};

/** What a refund asks for in money. */
export const PART_FIELDS = {
  price_amount: Type.Optional(
    amount('Instead of amount, in price_currency: converted at the rate of the refund, and rounded up.'),
  ),
  price_currency: currencyField(
    "Currency of price_amount, in ISO 4217; default: that of the payment's price.",
  ),
};

/** A refund asks for an amount, for a price, or for all that is left. */
export const AMOUNT_OR_PART = {
  if: { properties: { price_amount: {} }, required: ['price_amount'] },
  then: { properties: { amount: { not: {} } } },
  else: { properties: { price_currency: { not: {} } } },
};

/** What COST_FIELDS say. */
interface AskedCost {
  readonly pay_amount?: string;
  readonly price_amount?: string;
  readonly price_currency?: CurrencyId;
}

interface AskedPrice {
  readonly amount: string;
  readonly currency: CurrencyId;
}

/** What a payment asks for in its settlement coin, and the price of which that was converted. */
export type Cost = Pick<Payment, 'pay_amount' | 'price'>;

/** Returns what a new payment costs: an amount as it is, a price as `convertPrice` does. */
export async function costOf(
  connection: Connection,
  adapters: Pick<PaymentAdapters, 'rates' | 'currencies'>,
  payment: Pick<Payment, 'merchant_id' | 'pay_currency' | 'pay_network'>,
  { pay_amount, price_amount, price_currency }: AskedCost,
  now: Date,
): Promise<Cost> {
  if (pay_amount !== undefined) return { pay_amount, price: null };
  if (price_amount === undefined || price_currency === undefined)
    throw new ValidationError('pay_amount', 'required', 'is required');
  return convertPrice(connection, adapters, payment, { amount: price_amount, currency: price_currency }, now);
}

const RATE_DECIMALS = 18;
const IS_AMOUNT = new RegExp(AMOUNT_PATTERN);

/**
 * Converts a price to the payment's settlement coin by the rates of `now`, rounded up to what a quote can ask
 * of it. No network is asked: the rates are read from the database. Throws ApiError rate_unavailable where
 * coin or currency has none, and ValidationError for more decimals than the currency has, and for more than a
 * payment can ask for.
 */
export async function convertPrice(
  connection: Connection,
  { rates, currencies }: Pick<PaymentAdapters, 'rates' | 'currencies'>,
  payment: Pick<Payment, 'merchant_id' | 'pay_currency' | 'pay_network'>,
  asked: AskedPrice,
  now: Date,
): Promise<{ pay_amount: string; price: CheckoutPrice }> {
  checkMinorUnits('price_amount', asked);
  const { merchant_id, pay_currency, pay_network } = payment;
  const market = (await rates(connection, [merchant_id], now))(merchant_id);
  const coin = market.get(pay_currency) ?? noRate(pay_currency);
  const money = (await currencies(connection, now)).get(asked.currency) ?? noRate(asked.currency);
  // Up: else a price that is a whole number of units would cost one more, by the rate in `price`.
  const rate = divide(coin.usd, money.usd, RATE_DECIMALS, 'up');
  const pay_amount = divide(asked.amount, rate, sendableDecimals(pay_currency, pay_network), 'up');
  if (!IS_AMOUNT.test(pay_amount))
    throw new ValidationError('price_amount', 'maximum', `is too much: it is ${pay_amount} ${pay_currency}`);
  return {
    pay_amount,
    price: {
      amount: asked.amount,
      currency: asked.currency,
      rate,
      rated_at: new Date(Math.min(coin.at.getTime(), money.at.getTime())).toISOString(),
      sources: [...new Set([...coin.sources, ...money.sources])],
    },
  };
}

/**
 * Throws ValidationError on `field` for more decimals than the currency has, as they are written: nobody
 * means 10.500 euros.
 */
export function checkMinorUnits(field: string, { amount: written, currency }: AskedPrice): void {
  const { decimals } = CURRENCIES[currency];
  const [, fraction = ''] = written.split('.');
  if (fraction.length > decimals)
    throw new ValidationError(field, 'multipleOf', `must have at most ${decimals} decimals in ${currency}`);
}

function noRate(of: string): never {
  throw new ApiError('rate_unavailable', {
    message: `rate_unavailable: ${of} has no rate now. Try again after the time in Retry-After.`,
  });
}
