import { NETWORKS } from '../../chain/networks.ts';
import { writtenLike, isZero } from '../../../platform/values/money.ts';
import { fill, html, isolated, latin, type Html } from './html.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { State, View } from '../view/view.ts';

type Key = keyof PageTexts;
type Tone = 'calm' | 'good' | 'care' | 'bad';

/**
 * Each state's title and text, its tone, and how many of the four steps are done; null: the page shows no
 * steps.
 */
const PRESENTATION: Readonly<Record<State, { title: Key; text: Key; tone: Tone; done: number | null }>> = {
  waiting: { title: 'waitingTitle', text: 'waitingText', tone: 'calm', done: null },
  underpaid: { title: 'underpaidTitle', text: 'underpaidText', tone: 'care', done: null },
  seen: { title: 'seenTitle', text: 'seenText', tone: 'calm', done: 1 },
  confirming: { title: 'confirmingTitle', text: 'confirmingText', tone: 'calm', done: 1 },
  converting: { title: 'convertingTitle', text: 'convertingText', tone: 'calm', done: 2 },
  settled: { title: 'settledTitle', text: 'settledText', tone: 'good', done: 4 },
  expired: { title: 'expiredTitle', text: 'expiredText', tone: 'care', done: null },
  expiredPartly: { title: 'expiredTitle', text: 'expiredPartlyText', tone: 'care', done: null },
  returning: { title: 'returningTitle', text: 'returningText', tone: 'care', done: null },
  failed: { title: 'failedTitle', text: 'failedText', tone: 'bad', done: null },
  replaced: { title: 'replacedTitle', text: 'replacedText', tone: 'bad', done: null },
  refunded: { title: 'refundedTitle', text: 'refundedText', tone: 'calm', done: null },
};

const STEPS: readonly Key[] = ['stepSeen', 'stepConfirmed', 'stepConverted', 'stepSettled'];

/** The tone of the payment's state, which selects the colours. */
export function statusTone({ state }: View): Tone {
  return PRESENTATION[state].tone;
}

/** The payment's state and what happens now, for the live region. */
export function statusComponent(view: View, texts: PageTexts): Html {
  const { title, text } = PRESENTATION[view.state];
  const values = valuesOf(view);
  const notes = notesOf(view).map((note) => html`<p>${fill(texts[note], values)}</p>`);
  return html`<h2>${fill(texts[title], values)}</h2>
    <p>${fill(texts[text], values)}</p>
    ${notes}`;
}

/** The progress as a list of steps; null for states that have none. */
export function stepsComponent({ state }: View, texts: PageTexts): Html | null {
  const { done } = PRESENTATION[state];
  if (done === null) return null;
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
