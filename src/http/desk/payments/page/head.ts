import type { OfferedAction } from '../../../../domain/checkout/actions/simulate.ts';
import { isOpen, isRefundable } from '../../../../domain/payments/lifecycle/states.ts';
import type { PaymentResource } from '../../../../domain/payments/schemas.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentPath, statusBadge } from './own.ts';

/** The field with the link of the customer's page, which a button of the head copies. */
export const LINK_FIELD = 'page-link';

/** What a payment is about, how it stands, and what the person may do with it now. */
export function paymentHead(
  visit: AtMerchant,
  payment: PaymentResource,
  offered: readonly OfferedAction[],
): Html {
  const { pay_amount, pay_currency, price, order_id, status, exceptions } = payment;
  const { payments } = visit.texts;
  const coins = html`<bdi dir="ltr">${pay_amount} ${pay_currency}</bdi>`;
  const money =
    price === null ? null : html`<bdi class="price" dir="ltr">${price.amount} ${price.currency}</bdi>`;
  return html`<section class="card head">
    <div class="about">
      <h1><span class="small">${payments.payment}</span> ${coins} ${money}</h1>
      <p class="inline">${statusBadge(status)} ${exceptions.join(', ')}</p>
      <p class="small">${payments.order} <bdi>${order_id}</bdi></p>
    </div>
    <div class="actions">
      ${refundLink(visit, payment)} ${linkOf(visit, payment)} ${cancelForm(visit, payment)}
    </div>
    ${simulator(visit, offered)}
  </section>`;
}

function refundLink(visit: AtMerchant, { status }: PaymentResource): Html | null {
  if (!isRefundable(status) || !may(visit.merchant.role, 'refunds:write')) return null;
  return html`<a class="button" href="${paymentPath(visit)}/refund">${visit.texts.payments.toRefund}</a>`;
}

/** A script copies; without one the link is opened, or selected in its field. */
function linkOf({ texts: { payments } }: AtMerchant, { checkout_url }: PaymentResource): Html {
  return html`<button type="button" data-copies="${LINK_FIELD}" data-copied="${payments.copied}" hidden>
      ${payments.copyLink}
    </button>
    <a class="button" href="${checkout_url}">${payments.open}</a>`;
}

/** Asks before it cancels, without a script. */
function cancelForm(visit: AtMerchant, { status }: PaymentResource): Html | null {
  const { payments } = visit.texts;
  if (!isOpen(status) || !may(visit.merchant.role, 'payments:write')) return null;
  return html`<details class="ask">
    <summary class="button">${payments.cancel}</summary>
    <p>${payments.cancelText}</p>
    ${form(`${paymentPath(visit)}/cancel`, button(payments.cancelNow))}
  </details>`;
}

/** The buttons of the simulated customer; null: it can do nothing, or the person may not. */
function simulator(visit: AtMerchant, offered: readonly OfferedAction[]): Html | null {
  const { payments } = visit.texts;
  if (offered.length === 0 || !may(visit.merchant.role, 'sandbox:write')) return null;
  const buttons = offered.map(
    ({ action, amount }) =>
      html`<button name="do" value="${action}">${fillPlain(payments.simulate[action], { amount })}</button>`,
  );
  return html`<div class="simulator">
    <h2>${payments.simulator}</h2>
    <p class="small">${payments.simulatorText}</p>
    ${form(`${paymentPath(visit)}/simulate`, html`${buttons}`, 'actions')}
  </div>`;
}
