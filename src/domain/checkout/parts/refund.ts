import { NETWORKS } from '../../chain/networks.ts';
import { fill, html, isolated, latin, type Html } from '../markup/html.ts';
import type { Language } from '../../languages/languages.ts';
import type { View } from '../view/view.ts';

/** Longest part of a refused input that the form shows again. */
const MAX_SHOWN = 200;

/**
 * Where money goes back to: a form until the customer has given an address, then the address; null when no
 * money goes back. `refused` is their input that was no address.
 */
export function refundComponent(
  view: View,
  { page: texts }: Language,
  path: string,
  refused: string | null,
): Html | null {
  const { payment, refundTo } = view;
  if (refundTo === null) return null;
  const values = {
    coin: latin(payment.refund_coin),
    network: latin(NETWORKS[payment.refund_network].name),
    merchant: isolated(view.face.name),
  };
  if (refundTo === 'known')
    return html`<p data-heard>${fill(texts.refundKnown, values)}</p>
      <p dir="ltr"><code class="copy address">${payment.refund_address}</code></p>
      <p class="small">${fill(texts.refundWrong, values)}</p>`;
  const fault = html`<p class="fault" id="refund-fault">${fill(texts.refundRefused, values)}</p>`;
  const marks = html`aria-invalid="true" aria-describedby="refund-fault"
  value="${(refused ?? '').slice(0, MAX_SHOWN)}" autofocus`;
  return html`<h2>${texts.refundTitle}</h2>
    <p>${fill(texts.refundText, values)}</p>
    <form
      method="post"
      action="${path}"
      class="step"
      data-here="refund"
      data-failed="${texts.simulatorFailed}"
    >
      <label for="refund-address">${fill(texts.refundAddress, values)}</label>
      ${refused === null ? null : fault}
      <input
        id="refund-address"
        name="address"
        dir="ltr"
        required
        maxlength="128"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        ${refused === null ? null : marks}
      />
      <button class="main">${texts.refundKeep}</button>
    </form>`;
}
