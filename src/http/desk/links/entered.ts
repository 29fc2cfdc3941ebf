import { ValidationError } from '../../../domain/api/errors.ts';
import type { LinkResource } from '../../../domain/links/schemas.ts';
import { fillPlain } from '../../../platform/pages/html.ts';
import { typedAmount } from '../../../platform/values/money.ts';
import type { AtMerchant } from '../shell/route.ts';
import { ASK_PLACES, type NewFields } from './new-form.ts';

/** The request of the API that the form of a new link means; what is wrong with it the schema says. */
export function creationOf(visit: AtMerchant, entered: NewFields): Record<string, unknown> {
  const { title, description, currency, min, max, stock, max_uses: uses, ends, minutes, ...after } = entered;
  const prices = pricesIn(visit, entered.prices);
  const fields = fieldsOf(visit, entered);
  return {
    title,
    ...(description === '' ? {} : { description }),
    ...(prices.length === 0 ? {} : { prices }),
    ...(min === '' && max === '' ? {} : { open_amount: { min, max } }),
    ...(currency === '' ? {} : { price_currency: currency }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(stock === '' ? {} : { stock: numberOf(visit, 'stock', stock) }),
    ...(uses === '' ? {} : { max_uses: numberOf(visit, 'max_uses', uses) }),
    ...(ends === '' ? {} : { expires_at: endOf(ends) }),
    ...(minutes === '' ? {} : { expiration_minutes: numberOf(visit, 'expiration_minutes', minutes) }),
    ...(after.success === '' ? {} : { success_url: after.success }),
    ...(after.thanks === '' ? {} : { thank_you: after.thanks }),
  };
}

/** The questions of which anything was filled in. */
function fieldsOf(visit: AtMerchant, entered: NewFields): Record<string, unknown>[] {
  return ASK_PLACES.flatMap((place) => {
    const [label, key] = [entered[`ask-${place}-label`], entered[`ask-${place}-key`]];
    const [length, required] = [entered[`ask-${place}-length`], entered[`ask-${place}-required`] === 'on'];
    if (`${label}${key}${length}` === '' && !required) return [];
    const longest = length === '' ? {} : { max_length: numberOf(visit, 'max_length', length) };
    return [{ key, label, required, ...longest }];
  });
}

interface Price {
  readonly name?: string;
  readonly amount: string;
}

/** The prices as their lines say them, a line each. */
function pricesIn({ texts }: AtMerchant, lines: string): Price[] {
  const written = lines.split(/\r?\n/).filter((line) => line.trim() !== '');
  return written.map((line) => priceOf(texts.links.badPrice, line));
}

/** "12.00", or "Large = 12.00". */
function priceOf(fault: string, line: string): Price {
  const at = line.lastIndexOf('=');
  const [name, amount] = [line.slice(0, Math.max(0, at)).trim(), typedAmount(line.slice(at + 1))];
  if (amount === null || !/^\d+(\.\d+)?$/.test(amount) || (at >= 0 && name === ''))
    throw new ValidationError('prices', 'pattern', fillPlain(fault, { line: line.trim() }));
  return name === '' ? { amount } : { name, amount };
}

/** The prices of a link as its form takes them. */
export const linesOf = ({ prices }: LinkResource): string =>
  (prices ?? []).map(({ name, amount }) => (name === undefined ? amount : `${name} = ${amount}`)).join('\n');

function numberOf({ texts }: AtMerchant, name: string, text: string): number {
  if (/^[+-]?\d{1,7}$/.test(text)) return Number(text);
  throw new ValidationError(name, 'type', texts.links.badStock);
}

/** A day ends with its last millisecond. */
const endOf = (day: string): string => `${day}T23:59:59.999Z`;

/** The day of a link's end, as a field of a form has it. */
export const dayOf = ({ expires_at: end }: LinkResource): string => end?.slice(0, 10) ?? '';

/**
 * The change of a link that its form means: without an end that is as it was, which may have passed, and
 * without what the form showed already, which somebody else may have changed meanwhile.
 */
export function changeOf(visit: AtMerchant, link: LinkResource): Record<string, unknown> {
  const typed = (name: string) => visit.field(name).trim();
  const [description, ends, stock, restock] = ['description', 'ends', 'stock', 'restock'].map(typed);
  const uses = typed('max_uses');
  const prices = changedPrices(visit, link);
  return {
    title: typed('title'),
    description: description === '' ? null : description,
    ...(prices === null ? {} : { prices }),
    ...(visit.field('unlimited') === 'on' ? { stock: null } : {}),
    ...(stock === '' || stock === undefined ? {} : { stock: numberOf(visit, 'stock', stock) }),
    ...(restock === '' || restock === undefined
      ? {}
      : { stock_change: numberOf(visit, 'stock_change', restock) }),
    ...(uses === typed('max_uses_was')
      ? {}
      : { max_uses: uses === '' ? null : numberOf(visit, 'max_uses', uses) }),
    ...(ends === dayOf(link) ? {} : { expires_at: ends === '' || ends === undefined ? null : endOf(ends) }),
    is_active: visit.field('active') === 'on',
  };
}

/** As the lines say, or those of the link; a box that is not ticked closes the price of its name. */
function changedPrices(visit: AtMerchant, { prices }: LinkResource): object[] | null {
  if (prices === null) return null;
  const [lines = '', shown = ''] = ['prices', 'prices_were'].map((name) =>
    visit.field(name).replaceAll('\r\n', '\n').trim(),
  );
  const isSame = lines === shown || lines === '';
  if (isSame && prices.length < 2) return null;
  const offered = prices.map((_, place) => visit.field(`price-${place}`) === 'on');
  const wanted: readonly Price[] = isSame ? prices : pricesIn(visit, lines);
  return wanted.map(({ name, amount }, place) => {
    const before = isSame ? place : prices.findIndex((price) => price.name === name);
    const isClosed = prices.length > 1 && offered[before] === false;
    return { ...(name === undefined ? {} : { name }), amount, ...(isClosed ? { closed: true } : {}) };
  });
}
