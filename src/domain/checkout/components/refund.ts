import { decimal } from '../markup/format.ts';
import { fill, html, isolated, latin, type Html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import type { View } from '../view/view.ts';

/** What a customer entered, and what the page asks next: another one, or whether it is right. */
export interface EnteredAddress {
  readonly address: string;
  readonly step: 'refused' | 'confirm' | 'changed';
}

/** Longest part of a refused input that the form shows again. */
const MAX_SHOWN = 200;

/**
 * Where money goes back to: a form until the customer has given an address and confirmed it, then the
 * address; null when no money goes back.
 */
export function refundComponent(
  view: View,
  language: Language,
  path: string,
  entered: EnteredAddress | null,
): Html | null {
  const { payment, refundTo } = view;
  if (refundTo === null) return null;
  const { page: texts } = language;
  if (refundTo === 'known')
    return html`<p data-heard>${fill(texts.refundKnown, valuesOf(view))}</p>
      <p dir="ltr"><code class="copy address">${payment.refund_address}</code></p>
      <p class="small">${fill(texts.refundWrong, valuesOf(view))}</p>`;
  return entered?.step === 'confirm'
    ? confirmation(view, language, path, entered.address)
    : question(view, language, path, entered);
}

const valuesOf = ({ payment, appearance, nameOf }: View) => ({
  coin: latin(payment.refund_coin),
  network: latin(nameOf(payment.refund_network)),
  merchant: isolated(appearance.name),
});

/** The first step: asks for an address. */
function question(view: View, { page: texts }: Language, path: string, entered: EnteredAddress | null): Html {
  const values = valuesOf(view);
  const isRefused = entered?.step === 'refused';
  const fault = html`<p class="fault" id="refund-fault">${fill(texts.refundRefused, values)}</p>`;
  const marks = html`aria-invalid="true" aria-describedby="refund-fault"`;
  const typed = html`value="${(entered?.address ?? '').slice(0, MAX_SHOWN)}" autofocus`;
  return html`<h2>${texts.refundTitle}</h2>
    <p>${fill(texts.refundText, values)}</p>
    ${form(
      texts,
      path,
      html`<label for="refund-address">${fill(texts.refundAddress, values)}</label>
        ${isRefused ? fault : null}
        <input
          id="refund-address"
          name="address"
          dir="ltr"
          required
          maxlength="128"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          ${isRefused ? marks : null}
          ${entered === null ? null : typed}
        />
        <button class="main" id="refund-next">${texts.refundNext}</button>`,
    )}`;
}

/** What the second step shows, as its form sends it back: whatever has changed since is shown again. */
export function toConfirm({ goesBack, payment }: View): string {
  return `${goesBack} ${payment.refund_coin} ${payment.refund_network}`;
}

/** The second step: the address beside what goes there, to be compared and confirmed. */
function confirmation(view: View, { page: texts, locale }: Language, path: string, address: string): Html {
  const [amount = '', coin = ''] = view.goesBack.split(' ');
  const row = (name: Html, value: Html) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<h2 id="refund-check" tabindex="-1" autofocus data-heard>${texts.refundCheck}</h2>
    <dl class="facts">
      ${row(html`${texts.refundAmount}`, html`<b>${latin(`${decimal(amount, locale)} ${coin}`)}</b>`)}
      ${row(html`${texts.network}`, html`<b>${latin(view.nameOf(view.payment.refund_network))}</b>`)}
      ${row(
        fill(texts.refundAddress, valuesOf(view)),
        html`<code class="copy address" dir="ltr">${address}</code>`,
      )}
    </dl>
    <p>${fill(texts.refundForGood, valuesOf(view))}</p>
    ${form(
      texts,
      path,
      html`<input type="hidden" name="address" value="${address}" />
        <input type="hidden" name="confirmed" value="${toConfirm(view)}" />
        <button class="main">${texts.refundKeep}</button>
        <button name="change" value="yes">${texts.refundChange}</button>`,
    )}`;
}

/** The form of either step. */
const form = (texts: Language['page'], path: string, fields: Html) =>
  html`<form
    method="post"
    action="${path}"
    class="step"
    data-here="refund"
    data-failed="${texts.simulatorFailed}"
  >
    ${fields}
  </form>`;
