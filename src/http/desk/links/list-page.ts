import { may } from '../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { alert, table, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import type { LinkResource } from '../../../domain/links/schemas.ts';
import { createForm, type NewFields } from './new-form.ts';

export interface ShownLinks {
  readonly links: readonly LinkResource[];
  readonly next: string | null;
  readonly coin: string;
  readonly entered: NewFields;
  readonly fault: string | null;
}

export const linksPath = ({ merchant }: AtMerchant): string => `/dashboard/${merchant.merchant_id}/links`;

/** The links of a merchant, newest first, and a form for another one. */
export function linksPage(visit: AtMerchant, shown: ShownLinks): Page {
  const { links: texts } = visit.texts;
  const mayWrite = may(visit.merchant.role, 'payments:write');
  return {
    title: texts.title,
    status: shown.fault === null ? 200 : 400,
    main: html`${alert(shown.fault)} ${listOf(visit, shown)}
    ${mayWrite ? createForm(visit, linksPath(visit), shown) : null}`,
  };
}

function listOf(visit: AtMerchant, { links, next, coin }: ShownLinks): Html {
  const { links: texts } = visit.texts;
  const base = linksPath(visit);
  const rows = links.map((link) => [
    html`<a href="${base}/${link.id}"><bdi>${link.title}</bdi></a>`,
    html`<bdi dir="ltr">${pricesOf(link, coin)}</bdi>`,
    html`${takenOf(visit, link)}`,
    html`${texts.states[stateOfLink(link)]}`,
    time(new Date(link.created_at)),
  ]);
  const heads = [texts.name, texts.price, texts.taken, texts.state, texts.created];
  return html`<section class="card">
    ${links.length === 0 ? html`<p>${texts.none}</p>` : table(texts.title, heads, rows)}
    ${
      next === null
        ? null
        : html`<p><a class="button" href="${base}?cursor=${encodeURIComponent(next)}">${texts.older}</a></p>`
    }
  </section>`;
}

/** "12.00 EUR", the least and the most of several prices. */
export function pricesOf({ prices, open_amount, price_currency }: LinkResource, coin: string): string {
  const amounts = (prices ?? []).filter(({ closed }) => closed !== true).map(({ amount }) => amount);
  const [first = '', last = ''] =
    open_amount === null ? [amounts[0], amounts.at(-1)] : Object.values(open_amount);
  return `${first === last ? first : `${first} – ${last}`} ${price_currency ?? coin}`;
}

export function takenOf({ texts }: AtMerchant, { uses, stock }: LinkResource): string {
  if (stock === null) return String(uses);
  return fillPlain(texts.links.takenOf, { taken: String(uses), stock: String(stock) });
}

export function stateOfLink(link: LinkResource): 'open' | 'sold' | 'over' | 'paused' | 'archived' {
  if (link.archived_at !== null) return 'archived';
  if (link.paused_at !== null) return 'paused';
  if (link.is_open) return 'open';
  const most = Math.min(link.stock ?? Infinity, link.max_uses ?? Infinity);
  return link.uses >= most ? 'sold' : 'over';
}
