import { fill, html, isolated, type Html } from '../../../platform/pages/html.ts';
import { cancelLink, successLink, supportLink } from '../markup/links.ts';
import { isZero } from '../../../platform/values/money.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { Language } from '../../languages/languages.ts';
import type { State, View } from '../view/view.ts';

/** The payment is over and was not paid: who still wants to pay begins again in the shop. */
const BEGIN_AGAIN: readonly State[] = [
  'expired',
  'expiredPartly',
  'cancelled',
  'returning',
  'failed',
  'replaced',
  'refunded',
];

/** Out of the frame of a shop's page; without a frame it says nothing. */
const OUT = html`target="_top"`;

/**
 * The next step of every state, by a link as far as the merchant gave those that it needs, and the way to
 * their help wherever the page may send customers to them: in all states but the one in which all goes as it
 * should before anything was paid. `isServed`: the payment can be paid.
 */
export function waysComponent(view: View, { page: texts }: Language, isServed: boolean): Html | null {
  const { payment, state, appearance, isOver } = view;
  const merchant = isolated(appearance.name);
  const [success, cancel] = [successLink(payment), cancelLink(payment)];
  const support = supportLink(appearance.supportUrl, payment.order_id);
  const help = (kind = '') =>
    support === null
      ? null
      : html`<a class="button ${kind}" id="contact" ${OUT} href="${support}"
          ><span>${fill(texts.contact, { merchant })}</span></a
        >`;
  // Where the page asks for an address, that is the next step.
  const kind = view.refundTo === 'ask' ? '' : 'main';
  if (state === 'settled' && success !== null)
    return html`<a class="button ${kind}" id="success" ${OUT} href="${success}"
        ><span>${fill(texts.back, { merchant })}</span><span id="count" aria-hidden="true"></span
      ></a>
      ${isOnlyPaid(view) ? stayButton(texts, appearance.name) : null} ${help()}`;
  const leave = fill(isOver ? texts.back : texts.cancel, { merchant });
  if (cancel !== null && state === 'waiting')
    return html`<a id="cancel" ${OUT} href="${cancel}">${leave}</a> ${isServed && !isOver ? null : help()}`;
  if (cancel !== null && BEGIN_AGAIN.includes(state))
    return html`<a class="button ${kind}" id="cancel" ${OUT} href="${cancel}"
        ><span>${fill(texts.newPayment, { merchant })}</span></a
      >
      ${help()}`;
  if (!BEGIN_AGAIN.includes(state)) return help();
  return html`<p>${fill(texts.again, { merchant })}</p>
    ${help(kind)}`;
}

/** Nothing of the money goes back, or did: who saw the payment settle is done here. */
const isOnlyPaid = ({ refundTo, payment }: View): boolean =>
  refundTo === null && isZero(payment.amount_refunded) && payment.refunds.length === 0;

/** Hidden until the script counts down, in the link: only who saw the payment settle is taken back. */
function stayButton({ goingBack, stay }: PageTexts, name: string): Html {
  const going = goingBack.replace('{merchant}', () => name);
  return html`<button type="button" id="stay" data-going="${going}" hidden>${stay}</button>`;
}
