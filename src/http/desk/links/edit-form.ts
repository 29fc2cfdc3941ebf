import type { LinkResource } from '../../../domain/links/schemas.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { textArea } from '../shell/choices.ts';
import { button, field, form, hidden } from '../shell/fields.ts';
import type { AtMerchant } from '../shell/route.ts';
import { dayOf, linesOf } from './entered.ts';
import { box } from './new-form.ts';

interface Shown {
  readonly link: LinkResource;
  readonly coin: string;
  readonly fault: string | null;
}

/** All that the API changes of a link. What was refused stands as it was typed. */
export function editForm(visit: AtMerchant, path: string, { link, coin, fault }: Shown): Html {
  const { links: texts } = visit.texts;
  const typed = (name: string, stored: string) => (fault === null ? stored : visit.field(name));
  const isOn = (name: string, stored: boolean) => (fault === null ? stored : visit.field(name) === 'on');
  const line = (name: string, label: string, stored = '', hint?: string) =>
    field({
      name,
      label,
      value: typed(name, stored),
      isOptional: true,
      ...(hint === undefined ? {} : { hint }),
    });
  const uses = String(link.max_uses ?? '');
  const fields = html`${field({ name: 'title', label: texts.name, value: typed('title', link.title) })}
  ${line('description', texts.description, link.description ?? '')}
  ${link.prices === null ? null : pricesForm(visit, { link, coin, typed, isOn })}
  ${stockForm(visit, link, line)}
  ${link.stock === null ? null : box('unlimited', texts.unlimited, isOn('unlimited', false))}
  ${line('max_uses', texts.uses, uses, texts.usesHint)} ${hidden('max_uses_was', typed('max_uses_was', uses))}
  ${field({ name: 'ends', label: texts.ends, type: 'date', value: typed('ends', dayOf(link)), hint: texts.endsHint, isOptional: true })}
  ${box('active', texts.active, isOn('active', link.paused_at === null))} ${button(texts.save)}`;
  return html`<section class="card">
    <h2>${texts.editTitle}</h2>
    ${form(`${path}/${link.id}`, fields)}
  </section>`;
}

/** A first number, or a difference, which is right whatever is sold while the form is filled in. */
function stockForm(
  { texts: { links: texts } }: AtMerchant,
  { stock, stock_left, uses }: LinkResource,
  line: (name: string, label: string, stored: string, hint: string) => Html,
): Html {
  const left = { left: String(stock_left ?? 0), taken: String(uses) };
  return stock === null
    ? line('stock', texts.setStock, '', fillPlain(texts.setStockHint, left))
    : line('restock', texts.restock, '', fillPlain(texts.restockHint, left));
}

interface Typed {
  readonly link: LinkResource;
  readonly coin: string;
  readonly typed: (name: string, stored: string) => string;
  readonly isOn: (name: string, stored: boolean) => boolean;
}

function pricesForm({ texts: { links: texts } }: AtMerchant, { link, coin, typed, isOn }: Typed): Html {
  const prices = link.prices ?? [];
  const currency = link.price_currency ?? coin;
  const [lines, label] = [linesOf(link), fillPlain(texts.pricesOf, { currency })];
  const boxes = prices.map(({ name, amount, closed }, place) =>
    box(`price-${place}`, `${name ?? ''}: ${amount} ${currency}`, isOn(`price-${place}`, closed !== true)),
  );
  return html`${textArea({ name: 'prices', label, hint: texts.pricesEditHint, value: typed('prices', lines) })}
  ${hidden('prices_were', typed('prices_were', lines))}
  ${
    prices.length < 2
      ? null
      : html`<fieldset class="choices">
          <legend>${texts.offered}</legend>
          ${boxes}
        </fieldset>`
  }`;
}
