import { NETWORKS } from '../../chain/networks.ts';
import { writtenLike, isZero } from '../../../platform/values/money.ts';
import { fill, html, isolated, latin, type Html } from './html.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { State, View } from '../view/view.ts';

type Key = keyof PageTexts;
type Tone = 'calm' | 'good' | 'care' | 'bad';

/** The tone of each state that is not calm. */
const TONES: Readonly<Partial<Record<State, Tone>>> = {
  underpaid: 'care',
  settled: 'good',
  expired: 'care',
  expiredPartly: 'care',
  returning: 'care',
  failed: 'bad',
  replaced: 'bad',
};

/** How many of the four steps are done; the page of any other state shows no steps. */
const STEPS_DONE: Readonly<Partial<Record<State, number>>> = {
  seen: 1,
  confirming: 1,
  converting: 2,
  settled: 4,
};

const STEPS: readonly Key[] = ['stepSeen', 'stepConfirmed', 'stepConverted', 'stepSettled'];

/** The tone of the payment's state, which selects the colours. */
export function statusTone({ state }: View): Tone {
  return TONES[state] ?? 'calm';
}

/** The payment's state and what happens now, for the live region. */
export function statusComponent(view: View, texts: PageTexts): Html {
  const { title, text } = keysOf(view.state);
  const values = valuesOf(view);
  const notes = notesOf(view).map((note) => html`<p>${fill(texts[note], values)}</p>`);
  return html`<h2>${fill(texts[title], values)}</h2>
    <p>${fill(texts[text], values)}</p>
    ${notes}`;
}

/** The texts of a state are named after it: a state whose texts are missing does not compile. */
function keysOf(state: State): { title: Key; text: Key } {
  const title = state === 'expiredPartly' ? 'expiredTitle' : (`${state}Title` as const);
  return { title, text: `${state}Text` as const };
}

/** The progress as a list of steps; null for states that have none. */
export function stepsComponent({ state }: View, texts: PageTexts): Html | null {
  const done = STEPS_DONE[state];
  if (done === undefined) return null;
  const items = STEPS.map((step, index) => {
    if (index < done) return html`<li class="done">${texts[step]}</li>`;
    return index === done ? html`<li aria-current="step">${texts[step]}</li>` : html`<li>${texts[step]}</li>`;
  });
  return html`<ol class="steps" aria-label="${texts.progress}">
    ${items}
  </ol>`;
}

function valuesOf(view: View): Readonly<Record<string, Html>> {
  const { payment, toSend, confirmations, requiredConfirmations } = view;
  const price = (amount: string) =>
    latin(`${writtenLike(amount, payment.pay_amount)} ${payment.pay_currency}`);
  return {
    merchant: isolated(payment.merchant_name),
    network: latin(NETWORKS[payment.network].name),
    total: price(payment.pay_amount),
    received: price(payment.amount_received),
    refunded: price(payment.amount_refunded),
    missing: latin(`${toSend ?? ''} ${payment.coin}`),
    count: latin(String(confirmations)),
    required: latin(String(requiredConfirmations)),
  };
}

/** What is unusual about the transfers, as far as it matters to the customer. */
function notesOf({ payment, state }: View): Key[] {
  const { exceptions, policy, amount_refunded } = payment;
  const isUnderWay = ['seen', 'confirming', 'converting', 'settled'].includes(state);
  const isExpired = state === 'expired' || state === 'expiredPartly';
  const notes: [Key, boolean][] = [
    ['reorgedNote', exceptions.includes('reorged') && (state === 'seen' || state === 'confirming')],
    ['replacedNote', exceptions.includes('replaced') && state === 'underpaid'],
    ['lateNote', exceptions.includes('late') && (isUnderWay || state === 'underpaid')],
    [
      policy.overpaid === 'keep' ? 'overpaidNote' : 'overpaidRefundNote',
      exceptions.includes('overpaid') && isUnderWay,
    ],
    ['refundedPartNote', state === 'settled' && !isZero(amount_refunded)],
    [policy.late === 'honour' ? 'lateHonouredNote' : 'lateReturnedNote', isExpired],
  ];
  return notes.filter(([, applies]) => applies).map(([note]) => note);
}
