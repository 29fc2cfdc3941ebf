import { CURRENCY_IDS, type CurrencyId } from '../../../domain/chain/currencies.ts';
import { EXPORT_FORMATS } from '../../../domain/exports/file.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { filtersOf } from '../payments/list/filters.ts';
import { pairs } from '../shell/choices.ts';
import { alert, button, field, form, hidden, select } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import { KINDS } from './ask.ts';

/** The form of an export; `currency` is what it proposes, `fault` what was wrong with the last one. */
export function exportPage(
  visit: AtMerchant,
  {
    currency,
    zone,
    fault = null,
    status = 200,
  }: { currency: CurrencyId; zone: string; fault?: string | null; status?: number },
): Page {
  const { texts, path } = visit;
  const { exports } = texts;
  const given = (name: string, otherwise = '') => visit.field(name) || otherwise;
  const fields = html`
    ${select(
      { name: 'kind', label: exports.kind, value: given('kind') },
      KINDS.map((kind) => [kind, exports.kinds[kind]] as const),
    )}
    ${listOf(visit) ?? days(visit)}
    <p class="small">${fillPlain(texts.payments.daysOf, { zone })}</p>
    ${select(
      { name: 'format', label: exports.format, value: given('format') },
      EXPORT_FORMATS.map((format) => [format, exports.formats[format]] as const),
    )}
    ${select(
      { name: 'currency', label: exports.currency, value: given('currency', currency) },
      CURRENCY_IDS.map((one) => [one, one] as const),
    )}
    <p class="small">${exports.currencyHint}</p>
    ${field({ name: 'after', label: exports.after, value: given('after'), hint: exports.afterHint, isOptional: true })}
    ${button(exports.submit)}
    <p class="small">${exports.whole}</p>
  `;
  return {
    title: exports.title,
    status,
    main: html`${alert(fault)}
      <section class="card narrow">
        <p>${exports.intro}</p>
        ${form(path, fields)}
      </section>`,
  };
}

function days({ texts: { exports }, field: given }: AtMerchant): Html {
  return html`${field({ name: 'from', label: exports.from, type: 'date', value: given('from'), isOptional: true })}
  ${field({ name: 'to', label: exports.to, type: 'date', value: given('to'), isOptional: true })}`;
}

/** The list of payments that the page was opened from, in the place of days; null: none, or a whole one. */
function listOf({ texts, query, path, field: given }: AtMerchant): Html | null {
  const { exports, payments } = texts;
  const posted = given('filters');
  const filters = filtersOf(posted === '' ? query : new URLSearchParams(posted));
  if (filters.size === 0) return null;
  const name = {
    status: payments.status,
    order_id: payments.order,
    from_date: payments.from,
    to_date: payments.to,
  };
  const facts = Object.entries(name).map(([filter, label]) => {
    const values = filters.getAll(filter).join(', ');
    return [label, values === '' ? null : html`<bdi>${values}</bdi>`] as const;
  });
  return html`${hidden('filters', filters.toString())}
    <p>${exports.listed}</p>
    ${pairs(facts)}
    <p class="small"><a href="${path}">${exports.unlisted}</a></p>`;
}
