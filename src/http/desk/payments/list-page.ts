import { STATUSES } from '../../../domain/payments/lifecycle/states.ts';
import type { PaymentList, PaymentResource } from '../../../domain/payments/schemas.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, select, table, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';

/** The filters of the API that the page's form has. */
export const FILTERS = ['status', 'order_id', 'from_date', 'to_date'] as const;

/** The list; null: `fault` says what is wrong with a filter. */
export function listPage(visit: AtMerchant, list: PaymentList | null, fault: string | null): Page {
  const { texts } = visit;
  return {
    title: texts.payments.title,
    status: fault === null ? 200 : 400,
    main: html`${alert(fault)} ${filterForm(visit)} ${list === null ? null : found(visit, list)}`,
  };
}

/** A GET: what is looked for is in the address, which can be kept and sent to a colleague. */
function filterForm({ texts, query, path }: AtMerchant): Html {
  const { payments } = texts;
  const value = (name: (typeof FILTERS)[number]) => query.get(name) ?? '';
  const statuses = [['', payments.any], ...STATUSES.map((one) => [one, one] as const)] as const;
  const filters = html`${select({ name: 'status', label: payments.status, value: value('status') }, statuses)}
  ${field({ name: 'order_id', label: payments.order, value: value('order_id'), isOptional: true })}
  ${field({ name: 'from_date', label: payments.from, type: 'date', value: value('from_date'), isOptional: true })}
  ${field({ name: 'to_date', label: payments.to, type: 'date', value: value('to_date'), isOptional: true })}
  ${button(payments.show)}`;
  return html`<section class="card">
    <form method="get" action="${path}" class="filters">${filters}</form>
  </section>`;
}

function found(visit: AtMerchant, { data, pagination }: PaymentList): Html {
  const { payments } = visit.texts;
  const { total, total_is_exact, next_cursor } = pagination;
  const count = fillPlain(total_is_exact ? payments.count : payments.countMore, { count: String(total) });
  const heads = [payments.order, payments.amount, payments.status, payments.created, payments.payment];
  const rows = data.map((payment) => rowOf(visit, payment));
  return html`<section class="card">
    <p class="small">${count}</p>
    ${data.length === 0 ? null : table(payments.title, heads, rows)}
    ${
      next_cursor === null
        ? null
        : html`<p><a class="button" href="${nextPath(visit, next_cursor)}">${payments.older}</a></p>`
    }
  </section>`;
}

function rowOf(
  { path }: AtMerchant,
  { id, order_id, pay_amount, pay_currency, status, created_at }: PaymentResource,
) {
  return [
    html`<bdi>${order_id}</bdi>`,
    html`<bdi dir="ltr">${pay_amount} ${pay_currency}</bdi>`,
    html`${status}`,
    time(new Date(created_at)),
    html`<a href="${path}/${id}"><code>${id}</code></a>`,
  ];
}

function nextPath({ path, query }: AtMerchant, cursor: string): string {
  const next = new URLSearchParams();
  for (const name of FILTERS) if (query.get(name)) next.set(name, query.get(name) ?? '');
  next.set('cursor', cursor);
  return `${path}?${next.toString()}`;
}
