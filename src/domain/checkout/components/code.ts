import { tokenContract } from '../../chain/coins.ts';
import { fill, html, type Html } from '../../../platform/pages/html.ts';
import { qrCode } from '../markup/qr-code.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { PaymentMethod } from '../view/offer.ts';
import type { Served, View } from '../view/view.ts';
import { walletTransaction, walletUri, type WalletTransaction } from '../../chain/demand/wallet-uri.ts';

/**
 * Ways to pay without typing: the wallet's link, the injected wallet (for the script), and the code. Null
 * where `hasCode` is false.
 */
export function codeComponent(view: View, served: Served, texts: PageTexts): Html | null {
  const demand = demandOf(view, served);
  const uri = demand === null ? null : walletUri(demand);
  if (demand === null || uri === null) return null;
  return html`${injected(walletTransaction(demand), view.nameOf(demand.network), texts)}
    <a class="button main" id="wallet" href="${uri}">${texts.openWallet}</a>
    <p class="small" id="unopened" hidden>${texts.nothingOpens}</p>
    <details class="show" id="show-code">
      <summary class="button">${texts.showCode}</summary>
      ${codes(view, uri, texts)}
    </details>`;
}

/** False where a simulated payment has no link that wallets of the main network refuse. */
export function hasCode(view: View, served: Served): boolean {
  const demand = demandOf(view, served);
  return demand !== null && walletUri(demand) !== null;
}

/** What a wallet is asked for; null where nothing can be sent. */
function demandOf({ payment, toSend, address }: View, served: Served) {
  if (toSend === null || !served.networks.includes(payment.network)) return null;
  return { ...payment, address, amount: toSend, chains: served.chains };
}

/** A button for the script, which shows it where a wallet is in the browser. */
function injected(transaction: WalletTransaction | null, network: string, texts: PageTexts): Html | null {
  if (transaction === null) return null;
  const { chain, to, value, data } = transaction;
  const attributes = html`data-chain="${chain}" data-to="${to}" data-value="${value}" data-data="${data}"`;
  const chainless = texts.injectedChain.replace('{network}', () => network);
  return html`<button
    type="button"
    class="button main"
    id="injected"
    ${attributes}
    data-sent="${texts.injectedSent}"
    data-cancelled="${texts.injectedCancelled}"
    data-chainless="${chainless}"
    data-failed="${texts.injectedFailed}"
    data-unsure="${texts.injectedUnsure}"
    hidden
  >
    ${texts.injected}
  </button>`;
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
  const bare = qrCode(address, fill(texts.qrAddress, values), { id: 'code-bare', kind: 'qr bare' });
  if (network === 'tron' && isToken) return html`<div class="codes">${bare}</div>`;
  const full = qrCode(uri, fill(texts.qrLabel, values), { id: 'code-full', kind: 'qr full' });
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
