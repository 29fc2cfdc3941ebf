import { fill, html, isolated, type Html } from '../../../platform/pages/html.ts';
import { cancelLink, successLink, supportLink } from '../markup/links.ts';
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
/**
 * The next step of every state, as far as the merchant gave the links that it needs, and the way to their
 * help wherever the page may send customers to them: in all states but the one in which all goes as it should
 * before anything was paid. `isServed`: the payment can be paid.
 */
export function waysComponent(view: View, { page: texts }: Language, isServed: boolean): Html | null {
  const { payment, state, appearance } = view;
  const merchant = isolated(appearance.name);
  const [success, cancel] = [successLink(payment), cancelLink(payment)];
  const support = supportLink(appearance.supportUrl, payment.order_id);
  const help = (kind = '') =>
    support === null
      ? null
      : html`<a class="button ${kind}" id="contact" href="${support}"
          ><span>${fill(texts.contact, { merchant })}</span></a
        >`;
  if (state === 'settled' && success !== null)
    return html`<a class="button main" id="success" href="${success}"
        ><span>${fill(texts.back, { merchant })}</span></a
      >
      ${view.refundTo === 'ask' ? null : redirectNotice(texts.goingBack, texts.stay, merchant)} ${help()}`;
  if (cancel !== null && state === 'waiting')
    return html`<a id="cancel" href="${cancel}">${fill(texts.cancel, { merchant })}</a>
      ${isServed ? null : help()}`;
  // Where the page asks for an address, that is the next step.
  const kind = view.refundTo === 'ask' ? '' : 'main';
  if (cancel !== null && BEGIN_AGAIN.includes(state))
    return html`<a class="button ${kind}" id="cancel" href="${cancel}"
        ><span>${fill(texts.newPayment, { merchant })}</span></a
      >
      ${help()}`;
  return help(BEGIN_AGAIN.includes(state) ? kind : '');
}

/** Hidden until the script starts to count: only who saw the payment settle is taken back. */
function redirectNotice(text: string, stay: string, merchant: Html): Html {
  return html`<div id="going" class="line" hidden>
    <p class="small">${fill(text, { merchant })}</p>
    <button type="button" id="stay">${stay}</button>
  </div>`;
}
