import { writtenLike, isZero } from '../../../platform/values/money.ts';
import { decimal, time } from '../markup/format.ts';
import { fill, fillPlain, html, isolated, latin, type Html } from '../../../platform/pages/html.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { Language } from '../../languages/languages.ts';
import { whatCanGoBack } from '../view/came.ts';
import type { RefundStatus } from '../../payments/refunds/states.ts';
import type { State, View } from '../view/view.ts';
import { honoursLate, returnsExcess } from '../../payments/lifecycle/policy.ts';

type Key = keyof PageTexts;
type Tone = 'calm' | 'good' | 'care' | 'bad';

/** The tone of each state that is not calm. */
const TONES: Readonly<Partial<Record<State, Tone>>> = {
  underpaid: 'care',
  settled: 'good',
  expired: 'care',
  expiredPartly: 'care',
  returning: 'care',
  cancelled: 'care',
  failed: 'bad',
  replaced: 'bad',
};

/** What the page says of a refund that is not paid out, in each of its statuses. */
const REFUNDS = {
  NEEDS_ADDRESS: 'refundAsked',
  PENDING: 'refundAwaited',
  AWAITING_SIGNATURE: 'refundAwaited',
  SENT: 'refundSent',
  HELD: 'refundHeld',
  // The proof shows it.
  COMPLETED: null,
} as const satisfies Record<RefundStatus, string | null>;

/** What the page says first: how it is with a refund, that the time is over, or the payment's state. */
function topicOf({ refund, isOver, state }: View) {
  return (refund === null ? null : REFUNDS[refund.status]) ?? (isOver ? 'over' : state);
}

/** The classes of what the page says first, which select the colours and the mark. */
export function statusTone(view: View): string {
  const { refund, isOver, state, payment } = view;
  if (refund !== null) return refund.address === null ? 'care' : 'calm';
  const isLost = payment.is_sent_lost === true && state === 'waiting';
  const tone: Tone = isOver || isLost ? 'care' : (TONES[state] ?? 'calm');
  return `${tone} ${topicOf(view)}`;
}

/** The state, and what is unusual about it, as a key: the script announces a change of it. */
export function stateKey(view: View): string {
  const topic = topicOf(view);
  return [view.state, ...(topic === view.state ? [] : [topic]), ...notesOf(view)].join(' ');
}

/** The state in plain words, and whose page it is: tabs and task bars show the beginning. */
export function pageTitle(view: View, { locale, page: texts }: Language): string {
  const { confirmations, requiredConfirmations, appearance } = view;
  const values = {
    count: decimal(String(confirmations), locale),
    required: decimal(String(requiredConfirmations), locale),
    merchant: appearance.name,
  };
  const title = `${texts[keysOf(topicOf(view)).title]} · ${texts.pageTitle}`;
  return fillPlain(title, values);
}

/** The payment's state and what happens now. */
export function statusComponent(view: View, language: Language): Html {
  const { page: texts } = language;
  const values = valuesOf(view, language);
  const notes = notesOf(view).map((note) => html`<p>${fill(texts[note], values)}</p>`);
  const [title, text] = saidOf(topicOf(view), texts, { ...values, ...refundValues(view, language) });
  if (view.refund === null)
    return html`<h2>${title}</h2>
      ${text} ${choices(view, language, values)} ${notes}`;
  const [paid, paidText] = saidOf(view.state, texts, values);
  return html`<h2>${title}</h2>
    ${text}
    <h3>${paid}</h3>
    ${paidText} ${notes}`;
}

/**
 * What a customer can do who sent too little: send the rest while its amount holds, or nothing more. No
 * policy sends an incomplete payment back by itself: it can, once it has ended and an address is known.
 */
function choices(view: View, { locale, page: texts }: Language, values: Values): Html | null {
  if (topicOf(view) !== 'underpaid') return null;
  const { payment, payBy, priceUntil, secondsLeft } = view;
  const until = time(priceUntil ?? payBy ?? payment.deadline_at, locale, { secondsAway: secondsLeft });
  const came = whatCanGoBack(payment).map((one) => {
    const [amount = '', coin = ''] = one.split(' ');
    return `${decimal(amount, locale)} ${coin}`;
  });
  const [missing, back] = [values.missing ?? null, latin(came.join(' + '))].map(
    (amount) => html`<b>${amount}</b>`,
  );
  const more = fill(texts.underpaidMore, { ...values, missing: missing ?? null, time: until });
  const goesBack = fill(texts.underpaidBack, { ...values, back: back ?? null });
  return html`<ul>
    <li>${more}</li>
    ${came.length === 0 ? null : html`<li>${goesBack}</li>`}
  </ul>`;
}

type Topic = ReturnType<typeof topicOf>;

function saidOf(topic: Topic, texts: PageTexts, values: Values): [Html, Html] {
  const { title, text } = keysOf(topic);
  return [fill(texts[title], values), html`<p>${fill(texts[text], values)}</p>`];
}

/** The texts of a topic are named after it: one whose texts are missing does not compile. */
function keysOf(topic: Topic): { title: Key; text: Key } {
  const title = topic === 'expiredPartly' ? 'expiredTitle' : (`${topic}Title` as const);
  return { title, text: `${topic}Text` as const };
}

type Values = Readonly<Record<string, Html>>;

function valuesOf(view: View, { locale }: Language): Values {
  const { payment, state, toSend, confirmations, requiredConfirmations, nameOf } = view;
  const network = state === 'sent' ? (payment.sent_network ?? payment.network) : payment.network;
  const price = (amount: string) =>
    latin(`${decimal(writtenLike(amount, payment.pay_amount), locale)} ${payment.pay_currency}`);
  return {
    merchant: isolated(view.appearance.name),
    network: latin(nameOf(network)),
    total: price(payment.pay_amount),
    received: price(payment.amount_received),
    refunded: price(payment.amount_refunded),
    missing: latin(`${toSend === null ? '' : decimal(toSend, locale)} ${payment.coin}`),
    count: latin(String(confirmations)),
    required: latin(String(requiredConfirmations)),
  };
}

/** How much goes back: all that waits for the one address, or the refund that is not paid out. */
function refundValues({ refund, goesBack, payment, nameOf }: View, { locale }: Language) {
  if (refund === null) return {};
  const { address, amount, coin, network } = refund;
  const own = `${writtenLike(amount, payment.pay_amount)} ${coin}`;
  const [number = '', unit = ''] = (address === null ? goesBack : own).split(' ');
  return { amount: latin(`${decimal(number, locale)} ${unit}`), network: latin(nameOf(network)) };
}

/** What is unusual about the transfers, as far as it matters to the customer. */
function notesOf({ payment, state, isOver }: View): Key[] {
  const { exceptions, policy, amount_refunded } = payment;
  const isUnderWay = ['seen', 'confirming', 'converting', 'settled'].includes(state);
  const isExpired = state === 'expired' || state === 'expiredPartly';
  const notes: [Key, boolean][] = [
    ['reorgedNote', exceptions.includes('reorged') && (state === 'seen' || state === 'confirming')],
    ['replacedNote', exceptions.includes('replaced') && state === 'underpaid'],
    [
      'sentLostNote',
      payment.is_sent_lost === true && !isOver && (state === 'waiting' || state === 'underpaid'),
    ],
    ['lateNote', exceptions.includes('late') && (isUnderWay || state === 'underpaid')],
    [
      returnsExcess(policy) ? 'overpaidRefundNote' : 'overpaidNote',
      exceptions.includes('overpaid') && isUnderWay,
    ],
    ['refundedPartNote', state === 'settled' && !isZero(amount_refunded)],
    [honoursLate(policy) ? 'lateHonouredNote' : 'lateReturnedNote', isExpired || isOver],
  ];
  return notes.filter(([, applies]) => applies).map(([note]) => note);
}
