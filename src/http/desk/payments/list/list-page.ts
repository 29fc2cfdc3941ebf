import { STATUSES } from '../../../../domain/payments/lifecycle/states.ts';
import type { SearchResult } from '../../../../domain/payments/search.ts';
import type { PaymentList, PaymentResource } from '../../../../domain/payments/schemas.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { alert, button, field, hidden, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { paymentsPath, statusBadge } from '../page/own.ts';
import { filtersOf } from './filters.ts';
import { rangeLinks } from './range.ts';

/** What the list's page shows: payments that filters fit, or that a search has found. */
export interface ShownList {
  /** Whose days the filters' are. */
  readonly zone: string;
  readonly list?: PaymentList;
  readonly search?: SearchResult;
  /** What is wrong with a filter. */
  readonly fault?: string;
  /** The views that the person has kept. */
  readonly views?: Html | null;
}

/** The list, with the search, the filters and the views above it. */
export function listPage(visit: AtMerchant, { zone, list, search, fault, views = null }: ShownList): Page {
  const { texts } = visit;
  return {
    title: texts.payments.title,
    status: fault === undefined ? 200 : 400,
    main: html`${alert(fault ?? null)} ${searchForm(visit)} ${filterForm(visit, zone)} ${views}
    ${list === undefined ? null : listed(visit, list)} ${search === undefined ? null : found(visit, search)}`,
  };
}

/** A GET, as the filters are: the address can be kept, and sent to a colleague. */
function searchForm(visit: AtMerchant): Html {
  const { texts, query } = visit;
  const { payments } = texts;
  return html`<section class="card">
    <form method="get" action="${paymentsPath(visit)}" role="search" class="search">
      <p class="field">
        <label for="q">${payments.search}</label>
        <input
          id="q"
          name="q"
          type="search"
          value="${query.get('q') ?? ''}"
          maxlength="500"
          autocomplete="off"
          required
          aria-describedby="q-hint"
        />
        <span class="small" id="q-hint">${payments.searchHint}</span>
      </p>
      ${button(payments.find)}
    </form>
  </section>`;
}

function filterForm(visit: AtMerchant, zone: string): Html {
  const { texts, query } = visit;
  const { payments } = texts;
  const value = (name: string) => ({ name, value: query.get(name) ?? '', isOptional: true as const });
  const chosen = query.getAll('status');
  const shown = filtersOf(query).get('range');
  const range = shown === null ? null : hidden('range', shown);
  const statuses = STATUSES.map((status) => {
    const checked = chosen.includes(status) ? html`checked` : null;
    return html`<label class="choice"
      ><input type="checkbox" name="status" value="${status}" ${checked} /> ${status}</label
    >`;
  });
  const filters = html`<fieldset class="choices">
      <legend>${payments.status}</legend>
      ${statuses}
    </fieldset>
    ${field({ ...value('order_id'), label: payments.order })}
    ${field({ ...value('from_date'), label: payments.from, type: 'date' })}
    ${field({ ...value('to_date'), label: payments.to, type: 'date' })} ${range} ${button(payments.show)}`;
  return html`<section class="card">
    ${rangeLinks(visit)}
    <form method="get" action="${paymentsPath(visit)}" class="filters">${filters}</form>
    <p class="small">${fillPlain(payments.daysOf, { zone })}</p>
  </section>`;
}

function listed(visit: AtMerchant, { data, pagination }: PaymentList): Html {
  const { payments } = visit.texts;
  const { total, total_is_exact, next_cursor } = pagination;
  const count = fillPlain(total_is_exact ? payments.count : payments.countMore, { count: String(total) });
  const rows = data.map((payment) => rowOf(visit, payment));
  return html`<section class="card">
    <p class="small">${count}</p>
    ${data.length === 0 ? null : table(payments.title, headsOf(visit), rows)}
    ${
      data.length === 0
        ? null
        : html`<p class="actions">
            ${next_cursor === null ? null : html`<a class="button" href="${nextPath(visit, next_cursor)}">${payments.older}</a>`}
            <a class="button" href="${exportPath(visit)}">${payments.export}</a>
          </p>`
    }
  </section>`;
}

function found(visit: AtMerchant, { found: all, hasMore }: SearchResult): Html {
  const { payments } = visit.texts;
  const note = all.length === 0 ? payments.foundNone : hasMore ? payments.foundMore : payments.count;
  const rows = all.map(({ by, payment }) => [...rowOf(visit, payment), html`${payments.foundBy[by]}`]);
  return html`<section class="card">
    <p class="small" role="status">${fillPlain(note, { count: String(all.length) })}</p>
    ${all.length === 0 ? null : table(payments.title, [...headsOf(visit), payments.foundByHead], rows)}
  </section>`;
}

const headsOf = ({ texts: { payments } }: AtMerchant) => [
  payments.order,
  payments.amount,
  payments.status,
  payments.created,
  payments.payment,
];

function rowOf(
  visit: AtMerchant,
  { id, order_id, pay_amount, pay_currency, price, status, created_at }: PaymentResource,
): Html[] {
  // As on the payment's own page: the shop knows its prices, and not what they came to in coins.
  const money =
    price === null ? null : html`<br /><bdi class="small" dir="ltr">${price.amount} ${price.currency}</bdi>`;
  return [
    html`<bdi>${order_id}</bdi>`,
    html`<span><bdi dir="ltr">${pay_amount} ${pay_currency}</bdi>${money}</span>`,
    statusBadge(status),
    time(new Date(created_at)),
    html`<a href="${paymentsPath(visit)}/${id}"><code>${id}</code></a>`,
  ];
}

function nextPath(visit: AtMerchant, cursor: string): string {
  const next = filtersOf(visit.query);
  next.set('cursor', cursor);
  return `${paymentsPath(visit)}?${next.toString()}`;
}

/** All pages of the list, as its filters are. */
function exportPath({ merchant, query }: AtMerchant): string {
  return `/dashboard/${merchant.merchant_id}/exports?${filtersOf(query).toString()}`;
}
