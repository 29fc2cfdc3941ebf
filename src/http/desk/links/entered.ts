import { ValidationError } from '../../../domain/api/errors.ts';
import type { LinkResource } from '../../../domain/links/schemas.ts';
import { fillPlain } from '../../../platform/pages/html.ts';
import { typedAmount } from '../../../platform/values/money.ts';
import type { AtMerchant } from '../shell/route.ts';
import type { NewFields } from './list-page.ts';

/** The request of the API that the form of a new link means; what is wrong with it the schema says. */
export function creationOf({ texts }: AtMerchant, entered: NewFields): Record<string, unknown> {
  const { title, description, currency, min, max, stock, ends, thanks } = entered;
  const lines = entered.prices.split(/\r?\n/).filter((line) => line.trim() !== '');
  const prices = lines.map((line) => priceOf(texts.links.badPrice, line));
  return {
    title,
    ...(description === '' ? {} : { description }),
    ...(prices.length === 0 ? {} : { prices }),
    ...(min === '' && max === '' ? {} : { open_amount: { min, max } }),
    ...(currency === '' ? {} : { price_currency: currency }),
    ...(stock === '' ? {} : { stock: numberOf(texts.links.badStock, stock) }),
    ...(ends === '' ? {} : { expires_at: endOf(ends) }),
    ...(thanks === '' ? {} : { thank_you: thanks }),
  };
}

/** "12.00", or "Large = 12.00". */
function priceOf(fault: string, line: string): { name?: string; amount: string } {
  const at = line.lastIndexOf('=');
  const [name, amount] = [line.slice(0, Math.max(0, at)).trim(), typedAmount(line.slice(at + 1))];
  if (amount === null || !/^\d+(\.\d+)?$/.test(amount) || (at >= 0 && name === ''))
    throw new ValidationError('prices', 'pattern', fillPlain(fault, { line: line.trim() }));
  return name === '' ? { amount } : { name, amount };
}

function numberOf(fault: string, text: string): number {
  if (/^[+-]?\d{1,7}$/.test(text)) return Number(text);
  throw new ValidationError('stock', 'type', fault);
}

/** A day ends with its last millisecond. */
const endOf = (day: string): string => `${day}T23:59:59.999Z`;

/** The change of a link that its form means, without an end that is as it was: it may have passed. */
export function changeOf({ texts, field }: AtMerchant, link: LinkResource): Record<string, unknown> {
  const [title, description, ends] = ['title', 'description', 'ends'].map((name) => field(name).trim());
  const [stock, restock] = [field('stock').trim(), field('restock').trim()];
  const { badStock } = texts.links;
  const prices = link.prices?.map((price, place) => pricedBy(price, field(`price-${place}`) === 'on'));
  const isSameEnd = ends === (link.expires_at === null ? '' : link.expires_at.slice(0, 10));
  return {
    title,
    description: description === '' ? null : description,
    ...(prices === undefined || prices.length < 2 ? {} : { prices }),
    ...(stock === '' ? {} : { stock: numberOf(badStock, stock) }),
    ...(restock === '' ? {} : { stock_change: numberOf(badStock, restock) }),
    ...(isSameEnd ? {} : { expires_at: ends === '' || ends === undefined ? null : endOf(ends) }),
    is_active: field('active') === 'on',
  };
}

function pricedBy({ name, amount }: NonNullable<LinkResource['prices']>[number], isOffered: boolean) {
  return { ...(name === undefined ? {} : { name }), amount, ...(isOffered ? {} : { closed: true }) };
}
