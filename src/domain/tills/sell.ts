import { AMOUNT_PATTERN } from '../api/patterns.ts';
import { ApiError, isForLater } from '../api/errors.ts';
import { CURRENCIES } from '../chain/currencies.ts';
import { findMerchant } from '../merchants/api-keys.ts';
import { createPayment } from '../payments/create.ts';
import { cancelPayment } from '../payments/cancel.ts';
import { adaptersOf, type AdaptersByMode } from '../payments/lifecycle/ports.ts';
import { LinkClosed } from '../payments/links/uses.ts';
import type { CreatePaymentBody } from '../payments/schemas.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/postgres/db.ts';
import { typedAmount } from '../../platform/values/money.ts';
import type { PairedTill } from './opening.ts';
import { takeSale, typeSale, type Sale } from './sales.ts';

/** `used`: this form has made another sale. `unavailable`: later the same form may succeed. */
export type Sold = { readonly number: number } | 'bad' | 'used' | 'suspended' | 'unavailable';

/** Who stands at a counter pays now; money that comes later counts as for every payment. */
const MINUTES_TO_PAY = 20;

const IS_AMOUNT = new RegExp(AMOUNT_PATTERN, 'u');
const NONCE = /^[\w-]{16,64}$/;

/**
 * Creates the payment of a sale that was typed on a till. The nonce is made on the device for the sale: sent
 * again it is the same sale, also days later and where the answer was lost.
 */
export async function sell(...asked: Parameters<typeof makeSale>): Promise<Sold> {
  try {
    return await makeSale(...asked);
  } catch (error) {
    if (isForLater(error)) return 'unavailable';
    throw error;
  }
}

async function makeSale(
  ctx: Context,
  adapters: AdaptersByMode,
  till: PairedTill,
  typed: { readonly amount: string; readonly nonce: string },
): Promise<Sold> {
  const amount = amountOf(till, typed.amount);
  if (amount === null || !NONCE.test(typed.nonce)) return 'bad';
  const caller = await findMerchant(ctx.db, till.merchant_id);
  if (caller === null || caller.isSuspended === true) return 'suspended';
  const { id: tillId, device_id: deviceId } = till;
  const written = { nonce: typed.nonce, deviceId, amount, now: ctx.now() };
  const sale = await ctx.db.transaction((tx) => typeSale(tx, tillId, written));
  const { number } = sale;
  if (sale.amount !== amount) return 'used';
  if (sale.payment_id !== null) return { number };
  const beside = (tx: Tx, paymentId: string) => takeSale(tx, { tillId, number }, paymentId);
  const made = await create(() =>
    createPayment(ctx, adapters, caller, bodyOf(till, number, amount), null, { beside }),
  );
  return made === 'made' ? { number } : made;
}

/** What was typed as a decimal number of the till's currency; null: it is none that can be asked for. */
function amountOf({ price_currency }: PairedTill, typed: string): string | null {
  const amount = typedAmount(typed);
  if (amount === null || !IS_AMOUNT.test(amount)) return null;
  const [whole = '', fraction = ''] = amount.split('.');
  const decimals = price_currency === null ? fraction.length : CURRENCIES[price_currency].decimals;
  if (fraction.length > decimals) return null;
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

function bodyOf(till: PairedTill, number: number, amount: string): CreatePaymentBody {
  const { id, name, price_currency } = till;
  return {
    ...(price_currency === null ? { pay_amount: amount } : { price_amount: amount, price_currency }),
    order_id: `${id}-${number}`,
    order_description: `${name} #${number}`,
    expiration_minutes: MINUTES_TO_PAY,
    metadata: { till_id: id, till: name, sale: String(number) },
  };
}

async function create(creating: () => Promise<unknown>): Promise<'made' | 'bad'> {
  try {
    await creating();
    return 'made';
  } catch (error) {
    // The same form, at the same instant, has created it.
    if (error instanceof LinkClosed) return 'made';
    if (error instanceof ApiError && error.status === 400) return 'bad';
    throw error;
  }
}

/** Cancels the payment of a sale; false: enough money was seen, or it has ended. */
export async function cancelSale(
  ctx: Context,
  adapters: AdaptersByMode,
  till: PairedTill,
  { payment_id }: Pick<Sale, 'payment_id'>,
): Promise<boolean> {
  const caller = await findMerchant(ctx.db, till.merchant_id);
  if (caller === null || payment_id === null) return false;
  try {
    await cancelPayment(ctx, adaptersOf(adapters, caller.mode), caller, payment_id, null);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false;
    throw error;
  }
}
