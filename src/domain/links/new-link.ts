import { ValidationError } from '../api/errors.ts';
import { compare } from '../../platform/values/money.ts';
import { checkMinorUnits } from '../payments/pricing/price.ts';
import { newPublicToken, type CellSetting } from '../../platform/values/cells.ts';
import { newId } from '../../platform/values/ids.ts';
import { encodeUrl } from '../../platform/values/urls.ts';
import type { Link } from './link.ts';
import type { CreateLinkBody } from './schemas.ts';

/** What a payment's metadata say of its link. */
const RESERVED = ['link_id', 'option'];

/** A link as a request asks for it. Throws ValidationError for what no schema says. */
export function newLink(body: CreateLinkBody, setting: CellSetting, merchantId: string, now: Date): Link {
  checkAmounts(body);
  checkFields(body);
  if (body.expires_at !== undefined) checkEnd(body.expires_at, now);
  return {
    id: newId('lnk', now),
    merchant_id: merchantId,
    token: newPublicToken(setting),
    title: body.title,
    description: body.description ?? null,
    prices: body.prices ?? null,
    open_amount: body.open_amount ?? null,
    price_currency: body.price_currency ?? null,
    fields: (body.fields ?? []).map(({ key, label, required = false, max_length = 200 }) => ({
      key,
      label,
      required,
      max_length,
    })),
    max_uses: body.max_uses ?? null,
    stock: body.stock ?? null,
    taken: 0,
    expiration_minutes: body.expiration_minutes ?? 60,
    success_url: encodeUrl(body.success_url),
    thank_you: body.thank_you ?? null,
    expires_at: body.expires_at === undefined ? null : new Date(body.expires_at),
    created_at: now,
    archived_at: null,
    paused_at: null,
  };
}

/** Throws ValidationError for an end that has passed. */
export function checkEnd(at: string, now: Date): void {
  if (new Date(at) <= now) throw new ValidationError('expires_at', 'minimum', 'must be in the future');
}

/** Throws ValidationError for prices that a customer cannot choose among, or that nobody can pay. */
export function checkPrices(prices: NonNullable<Link['prices']>, currency: Link['price_currency']): void {
  const nameless = prices.findIndex(({ name }) => name === undefined);
  if (nameless >= 0 && prices.length > 1)
    throw new ValidationError(`prices.${nameless}.name`, 'required', 'is required beside other prices');
  if (prices.every(({ closed }) => closed === true))
    throw new ValidationError('prices', 'not', 'must have one that is not closed');
  if (currency === null) return;
  for (const [at, { amount }] of prices.entries())
    checkMinorUnits(`prices.${at}.amount`, { amount, currency });
}

function checkAmounts({ prices, open_amount, price_currency }: CreateLinkBody): void {
  if (prices !== undefined) checkPrices(prices, price_currency ?? null);
  if (open_amount === undefined) return;
  if (compare(open_amount.min, open_amount.max) > 0)
    throw new ValidationError('open_amount.max', 'minimum', 'must be open_amount.min or more');
  if (price_currency === undefined) return;
  for (const [name, amount] of Object.entries(open_amount))
    checkMinorUnits(`open_amount.${name}`, { amount, currency: price_currency });
}

function checkFields({ fields = [] }: CreateLinkBody): void {
  for (const [at, { key }] of fields.entries()) {
    const isTaken = RESERVED.includes(key) || fields.findIndex((field) => field.key === key) < at;
    if (isTaken) throw new ValidationError(`fields.${at}.key`, 'not', 'is taken already');
  }
}
