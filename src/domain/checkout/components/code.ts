import { tokenContract } from '../../chain/coins.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { copyButton } from '../markup/forms.ts';
import { qrCode } from '../markup/qr-code.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { Language } from '../../languages/languages.ts';
import { walletKit } from '../markup/wallet-kit.ts';
import type { PaymentMethod } from '../view/offer.ts';
import type { Served, View } from '../view/view.ts';
import { universalLinks } from '../../chain/demand/universal-links.ts';
import {
  walletTransaction,
  walletUri,
  type Demand,
  type WalletTransaction,
} from '../../chain/demand/wallet-uri.ts';

/**
 * Ways to pay without typing: the wallet's link, the injected wallet (for the script), and the code. Null
 * where `hasCode` is false.
 */
export function codeComponent(view: View, served: Served, language: Language): Html | null {
  const { page: texts } = language;
  const demand = demandOf(view, served);
  const uri = demand === null ? null : walletUri(demand);
  if (demand === null || uri === null) return null;
  return html`${injected(walletTransaction(demand), language)} ${walletLinks(demand, uri, texts)}
    <p class="small" id="unopened" hidden>${texts.nothingOpens}</p>
    <details class="show" id="show-code">
      <summary class="button">${texts.showCode}</summary>
      ${codes(view, uri, texts)}
    </details>
    ${copyButton('code', texts.copyCode)}`;
}

/**
 * The codes alone, as a till shows them; null where nothing can be sent, and where a simulated payment has no
 * link that wallets of the main network refuse.
 */
export function bareCodes(view: View, served: Served, language: Language): Html | null {
  const demand = demandOf(view, served);
  if (demand === null) return null;
  const uri = walletUri(demand);
  return uri === null ? null : codes(view, uri, language.page);
}

/** False where a simulated payment has no link that wallets of the main network refuse. */
export function hasCode(view: View, served: Served): boolean {
  const demand = demandOf(view, served);
  return demand !== null && walletUri(demand) !== null;
}

/** What a wallet is asked for; null where nothing can be sent. */
function demandOf({ payment, toSend, address, appearance }: View, served: Served) {
  if (toSend === null || !served.networks.includes(payment.network)) return null;
  const described = { label: appearance.name, message: payment.order_description ?? payment.order_id };
  return { ...payment, ...described, address, amount: toSend, chains: served.chains };
}

/** True while a transaction is awaited: what would be sent again by mistake opens only on request. */
export const isPutAway = ({ state }: View): boolean => state === 'sent';

/** What must be sent, and the ways to send it, for who did not. */
export function putAway(pay: Html | null, code: Html | null, texts: PageTexts): Html {
  return html`<details id="unsent">
    <summary class="button">${texts.unsent}</summary>
    <div class="pay">
      ${pay}
      <div class="code">${code}</div>
    </div>
  </details>`;
}

/**
 * The link that opens a wallet: whichever the device has for the URI. On a phone the wallets that have a link
 * of their own stand before it, in a sheet that one tap opens.
 */
function walletLinks(demand: Demand, uri: string, texts: PageTexts): Html {
  const own = universalLinks(demand);
  if (own.length === 0) return html`<a class="button main" id="wallet" href="${uri}">${texts.openWallet}</a>`;
  // A new tab: where the wallet is not installed its maker's page opens, and the payment's page stays.
  const links = own.map(
    ({ wallet, url }) =>
      html`<a class="button" href="${url}" target="_blank" rel="noopener noreferrer">${wallet}</a>`,
  );
  return html`<details id="wallets">
      <summary class="button main">${texts.openWallet}</summary>
      <div class="code">${links}</div>
    </details>
    <a class="button" id="wallet" href="${uri}"
      ><span class="other">${texts.otherWallet}</span><span class="any">${texts.openWallet}</span></a
    >`;
}

/** Where the script puts a button for each wallet in the browser, and what that must send. */
function injected(transaction: WalletTransaction | null, language: Language): Html | null {
  if (transaction === null) return null;
  const { chain, to, value, data } = transaction;
  const attributes = html`data-chain="${chain}" data-to="${to}" data-value="${value}" data-data="${data}"`;
  return html`<div id="injected" ${attributes} data-kit="${walletKit(language).path}"></div>`;
}

/**
 * Address only, or address and amount. Wallets take a token's contract for the recipient (MetaMask extension
 * 28527, MyEtherWallet 3056) or read bare addresses only (Trezor Suite 30266), so tokens, and everything on
 * Tron, begin with the address. Where no link has an amount there is nothing to choose.
 */
function codes({ payment, toSend, address, nameOf }: View, uri: string, texts: PageTexts): Html {
  const { coin, network } = payment;
  const isToken = tokenContract(coin, network) !== null;
  const values = { coin, network: nameOf(network), amount: toSend };
  const bare = qrCode(address, fillPlain(texts.qrAddress, values), { id: 'code-bare', kind: 'qr bare' });
  if (network === 'tron' && isToken) return html`<div class="codes">${bare}</div>`;
  const full = qrCode(uri, fillPlain(texts.qrLabel, values), { id: 'code-full', kind: 'qr full' });
  const isBareFirst = isToken || network === 'tron';
  const radio = (holds: string, isChecked: boolean, label: string) =>
    radioOf(payment, holds, isChecked, label);
  return html`<div class="codes" role="radiogroup" aria-label="${texts.codeHolds}">
    ${radio('bare', isBareFirst, texts.codeAddress)} ${radio('full', !isBareFirst, texts.codeAmount)} ${bare}
    ${full}
  </div>`;
}

/**
 * Its name and id are of this method alone: neither the page's script nor a browser that goes back or loads
 * again restores for one coin what was chosen for another.
 */
function radioOf({ coin, network }: PaymentMethod, holds: string, isChecked: boolean, label: string): Html {
  const method = `${coin}-${network}`;
  return html`<input
      type="radio"
      name="code-${method}"
      class="unseen holds-${holds}"
      id="${holds}-${method}"
      ${isChecked ? html`checked` : null}
    /><label for="${holds}-${method}">${label}</label>`;
}
