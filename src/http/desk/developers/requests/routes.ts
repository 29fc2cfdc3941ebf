import { readRequests, type DayOfKey } from '../../../../domain/merchants/requests/read.ts';
import type { RequestError } from '../../../../domain/merchants/requests/record.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { table, time } from '../../shell/fields.ts';
import { DESK_PER_MINUTE, type AtMerchant, type DeskRoute, type Page } from '../../shell/route.ts';
import { DEVELOPERS, framed } from '../frame/frame.ts';

/** What the merchant's keys asked for in the last 7 days, and what went wrong. */
export const requestRoutes: readonly DeskRoute[] = [
  {
    name: 'requests',
    method: 'get',
    path: `${DEVELOPERS}/requests`,
    access: 'member',
    right: 'keys:write',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant } = visit;
      const { days, errors } = await readRequests(ctx.db, merchant.merchant_id, ctx.systemNow());
      return requestsPage(visit, days, errors);
    },
  },
];

function requestsPage(visit: AtMerchant, days: readonly DayOfKey[], errors: readonly RequestError[]): Page {
  const { requests: words } = visit.texts.developers;
  return framed(visit, {
    title: words.title,
    main: html`<section class="card">
        <p>${words.text}</p>
        ${days.length === 0 ? html`<p>${words.none}</p>` : daysOf(visit, days)}
      </section>
      <section class="card">
        <h2>${words.errors}</h2>
        <p class="small">${words.errorsText}</p>
        ${errors.length === 0 ? html`<p>${words.noErrors}</p>` : errorsOf(visit, errors)}
      </section>`,
  });
}

function daysOf({ texts }: AtMerchant, days: readonly DayOfKey[]): Html {
  const { requests: words, keys } = texts.developers;
  const heads = [words.day, keys.key, words.served, words.refused, words.limited, words.failed];
  const rows = days.map(({ day, key_prefix, served, refused, limited, failed }) => [
    html`${day}`,
    html`<code class="held">${fillPlain(keys.short, { key: key_prefix })}</code>`,
    ...[served, refused, limited, failed].map((count) => html`${count}`),
  ]);
  return table(words.title, heads, rows);
}

function errorsOf({ texts }: AtMerchant, errors: readonly RequestError[]): Html {
  const { requests: words, keys } = texts.developers;
  const heads = [words.at, keys.key, words.request, words.status, words.reason, words.id];
  const rows = errors.map(({ at, key_prefix, method, route, status, reason, request_id }) => [
    time(at),
    html`<code class="held">${fillPlain(keys.short, { key: key_prefix })}</code>`,
    html`<code>${method} ${route}</code>`,
    html`${status}`,
    html`<span>${reason ?? ''}</span>`,
    html`<code>${request_id}</code>`,
  ]);
  return table(words.errors, heads, rows);
}
