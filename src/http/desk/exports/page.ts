import { CURRENCY_IDS, type CurrencyId } from '../../../domain/chain/currencies.ts';
import { EXPORT_FORMATS } from '../../../domain/exports/file.ts';
import { html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, select } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import { KINDS } from './ask.ts';

/** The form of an export; `currency` is what it proposes, `fault` what was wrong with the last one. */
export function exportPage(
  visit: AtMerchant,
  { currency, fault = null, status = 200 }: { currency: CurrencyId; fault?: string | null; status?: number },
): Page {
  const { texts, path } = visit;
  const { exports } = texts;
  const given = (name: string, otherwise = '') => visit.field(name) || otherwise;
  const fields = html`
    ${select(
      { name: 'kind', label: exports.kind, value: given('kind') },
      KINDS.map((kind) => [kind, exports.kinds[kind]] as const),
    )}
    ${field({ name: 'from', label: exports.from, type: 'date', value: given('from'), isOptional: true })}
    ${field({ name: 'to', label: exports.to, type: 'date', value: given('to'), isOptional: true })}
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
