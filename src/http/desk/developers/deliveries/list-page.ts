import { EVENT_TYPES } from '../../../../domain/payments/lifecycle/states.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryList,
} from '../../../../domain/webhooks/deliveries/schemas.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, field, select, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { developersPath, framed, linkButton } from '../frame/frame.ts';

/** The filters of the API that the page's form has. */
export const FILTERS = ['status', 'type', 'endpoint_id', 'payment_id', 'from_date', 'to_date'] as const;

export const deliveriesPath = (visit: AtMerchant) => `${developersPath(visit)}/deliveries`;

/** The URLs of the merchant's registered endpoints, by their ids. */
export type Registered = ReadonlyMap<string, string>;

/** The list; null: `fault` says what is wrong with a filter. */
export function deliveriesPage(
  visit: AtMerchant,
  list: DeliveryList | null,
  registered: Registered,
  fault: string | null,
): Page {
  const { deliveries: words } = visit.texts.developers;
  return framed(visit, {
    title: words.title,
    fault,
    main: html`${filterForm(visit, registered)} ${list === null ? null : found(visit, list, registered)}`,
  });
}

/** A GET: what is looked for is in the address, which can be kept and sent to a colleague. */
function filterForm({ texts, query, path }: AtMerchant, registered: Registered): Html {
  const { deliveries: words } = texts.developers;
  const value = (name: (typeof FILTERS)[number]) => query.get(name) ?? '';
  const any = ['', words.any] as const;
  const statuses = [any, ...DELIVERY_STATUSES.map((one) => [one, words.statuses[one]] as const)];
  const types = [any, ...EVENT_TYPES.map((one) => [one, one] as const)];
  const filters = html`${select({ name: 'status', label: words.status, value: value('status') }, statuses)}
  ${select({ name: 'type', label: words.event, value: value('type') }, types)}
  ${select({ name: 'endpoint_id', label: words.endpoint, value: value('endpoint_id') }, [any, ...registered])}
  ${field({ name: 'payment_id', label: words.payment, value: value('payment_id'), isOptional: true })}
  ${field({ name: 'from_date', label: words.from, type: 'date', value: value('from_date'), isOptional: true })}
  ${field({ name: 'to_date', label: words.to, type: 'date', value: value('to_date'), isOptional: true })}
  ${button(words.show)}`;
  return html`<section class="card">
    <form method="get" action="${path}" class="filters">${filters}</form>
  </section>`;
}

function found(visit: AtMerchant, { data, pagination }: DeliveryList, registered: Registered): Html {
  const { deliveries: words } = visit.texts.developers;
  if (data.length === 0) return html`<section class="card"><p>${words.none}</p></section>`;
  const heads = [
    words.event,
    words.status,
    words.answer,
    words.attempts,
    words.endpoint,
    words.created,
    words.delivery,
  ];
  const rows = data.map((delivery) => rowOf(visit, delivery, registered));
  const next = pagination.next_cursor;
  return html`<section class="card">
    ${table(words.title, heads, rows)}
    ${next === null ? null : linkButton(nextPath(visit, next), words.older)}
  </section>`;
}

function rowOf(visit: AtMerchant, delivery: Delivery, registered: Registered): Html[] {
  const { deliveries: words } = visit.texts.developers;
  return [
    html`${delivery.type} ${delivery.sequence}`,
    html`<strong>${words.statuses[delivery.status]}</strong>`,
    html`${answerOf(delivery)}`,
    html`${delivery.attempts}`,
    endpointOf(visit, delivery, registered),
    time(new Date(delivery.created_at)),
    html`<a href="${deliveriesPath(visit)}/${delivery.id}"><code>${delivery.id}</code></a>`,
  ];
}

/** How the last attempt ended: a status, or why there is none. */
export function answerOf({ last_status_code: status, last_error: error }: Delivery): string {
  return status === null ? (error ?? '') : `HTTP ${status}`;
}

/** One that was deleted has no URL any more. */
export function endpointOf(
  { texts }: AtMerchant,
  { endpoint_id: id }: Pick<Delivery, 'endpoint_id'>,
  registered: Registered,
): Html {
  if (id === null) return html`${texts.developers.deliveries.byDefault}`;
  return html`<bdi>${registered.get(id) ?? id}</bdi>`;
}

function nextPath(visit: AtMerchant, cursor: string): string {
  const next = new URLSearchParams();
  for (const name of FILTERS) if (visit.query.get(name)) next.set(name, visit.query.get(name) ?? '');
  next.set('cursor', cursor);
  return `${deliveriesPath(visit)}?${next.toString()}`;
}
