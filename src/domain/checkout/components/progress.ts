import { NETWORKS } from '../../chain/networks.ts';
import { networkOfTransfer } from '../../payments/lifecycle/payment.ts';
import { duration } from '../markup/format.ts';
import { fill, html, type Html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import type { State, View } from '../view/view.ts';

/** The states between the first sight of the money and its settlement. */
const GOES_ON: readonly State[] = ['seen', 'confirming', 'converting'];

/**
 * The one progress of a payment: a bar of confirmations, full while the money is converted; and wherever
 * nothing is asked of the customer that the page is not needed. Null where something is.
 */
export function progressComponent(view: View, { locale, page: texts }: Language): Html | null {
  if (!GOES_ON.includes(view.state))
    return asksNothing(view) ? html`<p class="small">${texts.done}</p>` : null;
  const { confirmations, requiredConfirmations: required, payment } = view;
  const { blockSeconds } = NETWORKS[networkOfTransfer(payment)];
  const secondsLeft = blockSeconds * (required - confirmations);
  const left = { left: duration(Math.max(1, secondsLeft), locale) };
  return html`<progress
      id="bar"
      max="${required}"
      value="${confirmations}"
      aria-label="${texts.barLabel}"
    ></progress>
    <p class="small">
      ${view.state === 'converting' ? null : html`${fill(texts.barText, left)}. `}${texts.mayClose}
    </p>`;
}

const asksNothing = ({ toSend, mustChoose, refundTo }: View): boolean =>
  toSend === null && !mustChoose && refundTo !== 'ask';
