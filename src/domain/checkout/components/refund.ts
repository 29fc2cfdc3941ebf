import { decimal, inFours } from '../markup/format.ts';
import { formTo } from '../markup/forms.ts';
import { supportLink } from '../markup/links.ts';
import { fill, html, isolated, latin, type Html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import type { Served, View } from '../view/view.ts';
import { row, transactionRow } from './proof.ts';

/** What a customer entered, and what the page asks next: another one, or whether it is right. */
export interface EnteredAddress {
  readonly address: string;
  readonly step: 'refused' | 'confirm' | 'changed';
}

/** Longest part of a refused input that the form shows again. */
const MAX_SHOWN = 200;

/**
 * Where money goes back to: a form until the customer has given an address and confirmed it, then the
 * address, and the transaction that pays it; null when no money goes back.
 */
export function refundComponent(
  view: View,
  { explorers }: Pick<Served, 'explorers'>,
  language: Language,
  path: string,
  entered: EnteredAddress | null,
): Html | null {
  const { payment, refund } = view;
  const refundTo = refund === null || refund.address === null ? view.refundTo : 'known';
  if (refundTo === null) return null;
  if (refundTo === 'known')
    return known(view, language, refund?.address ?? payment.refund_address ?? '', explorers);
  return entered?.step === 'confirm'
    ? confirmation(view, language, path, entered.address)
    : question(view, language, path, entered);
}

/** The address of a refund, or the one that the customer gave; and whom to ask while nothing was sent. */
function known(
  { refund, payment, appearance, nameOf }: View,
  { page: texts }: Language,
  address: string,
  explorers: Served['explorers'],
): Html {
  const network = latin(nameOf(refund?.network ?? payment.refund_network));
  const url = supportLink(appearance.supportUrl, payment.order_id);
  const merchant = html`<a href="${url}">${isolated(appearance.name)}</a>`;
  const hash = refund?.tx_hash ?? null;
  return html`<p data-heard>${fill(texts.refundKnown, { network })}</p>
    <p dir="ltr"><code class="copy address">${inFours(address)}</code></p>
    ${
      hash === null || refund === null
        ? null
        : html`<dl class="facts">${transactionRow(texts, hash, explorers[refund.network])}</dl>`
    }
    ${hash === null && url !== null ? html`<p class="small">${fill(texts.refundWrong, { merchant })}</p>` : null}`;
}

const valuesOf = ({ payment, nameOf }: View) => ({
  coin: latin(payment.refund_coin),
  network: latin(nameOf(payment.refund_network)),
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
    ${formTo(
      path,
      'refund',
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
  return html`<h2 id="refund-check" tabindex="-1" autofocus data-heard>${texts.refundCheck}</h2>
    <dl class="facts">
      ${row(texts.refundAmount, html`<b>${latin(`${decimal(amount, locale)} ${coin}`)}</b>`)}
      ${row(texts.network, html`<b>${latin(view.nameOf(view.payment.refund_network))}</b>`)}
      ${row(
        fill(texts.refundAddress, valuesOf(view)),
        html`<code class="copy address" dir="ltr">${inFours(address)}</code>`,
      )}
    </dl>
    <p>${fill(texts.refundForGood, valuesOf(view))}</p>
    ${formTo(
      path,
      'refund',
      html`<input type="hidden" name="address" value="${address}" />
        <input type="hidden" name="confirmed" value="${toConfirm(view)}" />
        <button class="main">${texts.refundKeep}</button>
        <button name="change" value="yes">${texts.refundChange}</button>`,
    )}`;
}
