import { html, type Html } from '../../../platform/pages/html.ts';
import { amountOf, availableActions, type SimulatorAction } from '../view/simulator-actions.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { View } from '../view/view.ts';

/** Each button's label, and the message when its action is done. */
const BUTTONS: Readonly<Record<SimulatorAction, { label: keyof PageTexts; done: keyof PageTexts }>> = {
  pay: { label: 'simulatorPay', done: 'simulatorSent' },
  half: { label: 'simulatorHalf', done: 'simulatorSent' },
  double: { label: 'simulatorDouble', done: 'simulatorSent' },
  replace: { label: 'simulatorReplace', done: 'simulatorReplaced' },
  expire: { label: 'simulatorExpire', done: 'simulatorExpired' },
};

/**
 * The panel in which a developer acts as the customer of a test payment, a form to `path`; empty when no
 * action makes sense.
 */
export function simulatorComponent(view: View, texts: PageTexts, path: string): Html {
  const buttons = availableActions(view).map((action) => {
    const { label, done } = BUTTONS[action];
    const amount = amountOf(view, action);
    return html`<button id="simulate-${action}" name="do" value="${action}" data-done="${texts[done]}">
      <span>${texts[label]}</span>
      ${amount === null ? null : html`<span class="small" dir="ltr">${amount} ${view.payment.coin}</span>`}
    </button>`;
  });
  if (buttons.length === 0) return html``;
  return html`<h2 id="simulator-title">${texts.simulatorTitle}</h2>
    <p class="small">${texts.simulatorText}</p>
    <form
      id="play"
      data-here="status"
      class="plays"
      method="post"
      action="${path}"
      aria-labelledby="simulator-title"
    >
      ${buttons}
    </form>
    <p id="outcome"></p>`;
}
