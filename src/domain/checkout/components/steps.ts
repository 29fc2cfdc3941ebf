import { secondsToConfirm } from '../../chain/networks.ts';
import { networkOfTransfer } from '../../payments/lifecycle/payment.ts';
import { decimal, duration } from '../markup/format.ts';
import { fill, html, latin, type Html } from '../../../platform/pages/html.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { Language } from '../../languages/languages.ts';
import type { State, View } from '../view/view.ts';

/** How many of the steps are done; the page of any other state shows no steps. */
const STEPS_DONE: Readonly<Partial<Record<State, number>>> = {
  seen: 1,
  confirming: 1,
  converting: 2,
  settled: 3,
};

const STEPS: readonly (keyof PageTexts)[] = ['stepSeen', 'stepConfirmed', 'stepSettled'];

/** The progress as a list of steps, and the confirmations as a bar; null for states that have none. */
export function stepsComponent(view: View, language: Language): Html | null {
  const done = STEPS_DONE[view.state];
  if (done === undefined) return null;
  const { page: texts } = language;
  const items = STEPS.map((step, index) => {
    if (index < done) return html`<li class="done">${texts[step]}</li>`;
    return index === done ? html`<li aria-current="step">${texts[step]}</li>` : html`<li>${texts[step]}</li>`;
  });
  return html`<ol class="steps" aria-label="${texts.progress}">
      ${items}
    </ol>
    ${done === 1 ? bar(view, language) : null}`;
}

function bar(view: View, { locale, page: texts }: Language): Html {
  const { confirmations, requiredConfirmations: required, payment } = view;
  const secondsLeft = (secondsToConfirm(networkOfTransfer(payment)) * (required - confirmations)) / required;
  const text = fill(texts.barText, {
    count: latin(decimal(String(confirmations), locale)),
    required: latin(decimal(String(required), locale)),
    left: duration(Math.max(1, secondsLeft), locale),
  });
  return html`<progress
      id="bar"
      max="${required}"
      value="${confirmations}"
      aria-label="${texts.barLabel}"
    ></progress>
    <p class="small">${text}</p>`;
}
