import type { OfferedAction } from '../../../../domain/checkout/actions/simulate.ts';
import { isOpen, isRefundable } from '../../../../domain/payments/lifecycle/states.ts';
import type { PaymentResource } from '../../../../domain/payments/schemas.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentPath } from './own.ts';

/** What the person may do with a payment as it is; null: nothing. */
export function actionsCard(visit: AtMerchant, { status }: PaymentResource): Html | null {
  const { payments } = visit.texts;
  const { role } = visit.merchant;
  const path = paymentPath(visit);
  const refund =
    isRefundable(status) && may(role, 'refunds:write')
      ? html`<p><a class="button" href="${path}/refund">${payments.toRefund}</a></p>`
      : null;
  const cancel = isOpen(status) && may(role, 'payments:write') ? cancelForm(visit, path) : null;
  if (refund === null && cancel === null) return null;
  return html`<section class="card">
    <h2>${payments.mayDo}</h2>
    ${refund} ${cancel}
  </section>`;
}

/** Asks before it cancels, without a script. */
function cancelForm({ texts }: AtMerchant, path: string): Html {
  const { payments } = texts;
  return html`<details class="ask">
    <summary class="button">${payments.cancel}</summary>
    <p>${payments.cancelText}</p>
    ${form(`${path}/cancel`, button(payments.cancelNow))}
  </details>`;
}

/** The buttons of the simulated customer; null: it can do nothing, or the person may not. */
export function simulatorCard(visit: AtMerchant, actions: readonly OfferedAction[]): Html | null {
  const { payments } = visit.texts;
  if (actions.length === 0 || !may(visit.merchant.role, 'sandbox:write')) return null;
  const buttons = actions.map(
    ({ action, amount }) =>
      html`<button name="do" value="${action}">${fillPlain(payments.simulate[action], { amount })}</button>`,
  );
  return html`<section class="card">
    <h2>${payments.simulator}</h2>
    <p class="small">${payments.simulatorText}</p>
    ${form(`${paymentPath(visit)}/simulate`, html`${buttons}`, 'actions')}
  </section>`;
}
