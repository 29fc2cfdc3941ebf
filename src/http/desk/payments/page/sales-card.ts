import { SALE_REASONS } from '../../../../domain/exchange/port.ts';
import type { UnsoldSale } from '../../../../domain/payments/sales/decide.ts';
import { isHeld } from '../../../../domain/payments/sales/states.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, hidden } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentPath } from './own.ts';

/** What of a payment waits to be sold at the exchange, and the two buttons of a person; null: nothing. */
export function salesCard(visit: AtMerchant, sales: readonly UnsoldSale[]): Html | null {
  const { payments } = visit.texts;
  if (sales.length === 0) return null;
  const isAsked = sales.some(({ status }) => isHeld(status)) && may(visit.merchant.role, 'refunds:write');
  return html`<section class="card">
    <h2>${payments.sales}</h2>
    ${sales.map((sale) => saleOf(visit, sale))} ${isAsked ? decideForms(visit) : null}
  </section>`;
}

function saleOf({ texts: { payments } }: AtMerchant, sale: UnsoldSale): Html {
  const { amount, coin, sold, proceeds, reason, detail, in_doubt } = sale;
  const lines = [
    fillPlain(payments.saleOf, { amount, coin }),
    ...(Number(sold) === 0 ? [] : [fillPlain(payments.saleSold, { sold, proceeds })]),
    ...(in_doubt === null ? [] : [payments.saleInDoubt]),
  ];
  const said = detail === null ? null : html`<bdi>(${detail})</bdi>`;
  const fault =
    reason === null
      ? null
      : html`<p class="fault">${fillPlain(payments.saleWaits, { reason: SALE_REASONS[reason] })} ${said}</p>`;
  return html`<p>${lines.join(' ')}</p>
    ${fault}`;
}

/** The second asks once more, without a script: it cannot be undone. */
function decideForms(visit: AtMerchant): Html {
  const { payments } = visit.texts;
  const path = `${paymentPath(visit)}/sale`;
  const retry = html`${hidden('decision', 'retry')} ${button(payments.saleRetry)}`;
  const keep = html`${hidden('decision', 'as_received')} ${button(payments.saleKeepNow)}`;
  return html`${form(path, retry, 'inline')}
    <details class="ask">
      <summary class="button">${payments.saleKeep}</summary>
      <p>${payments.saleKeepText}</p>
      ${form(path, keep)}
    </details>`;
}
