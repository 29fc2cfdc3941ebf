import { WALLET_CHAINS } from '../../../../domain/chain/demand/wallet-chains.ts';
import { heldUntil, type AskedWallet } from '../../../../domain/payments/refunds/by-merchant/ask-wallet.ts';
import type { RefundResource } from '../../../../domain/payments/refunds/schemas.ts';
import { isAwaited } from '../../../../domain/payments/refunds/states.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fill, fillPlain, html, isolated, type Html } from '../../../../platform/pages/html.ts';
import { pairs } from '../../shell/choices.ts';
import { button, time } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentPath } from './own.ts';

/**
 * What pays a refund of a live payment: the transaction as a wallet takes it, which the script asks a wallet
 * of the browser to sign and send, and the form that names it. Null: nothing is to be paid, or not by them.
 */
export function signForm(
  visit: AtMerchant,
  refund: RefundResource,
  asked: AskedWallet | undefined,
): Html | null {
  const { payments } = visit.texts;
  if (!isAwaited(refund.status) || !may(visit.merchant.role, 'refunds:write')) return null;
  const { id, coin_amount, coin, address, request, request_problem: problem } = refund;
  const field = `tx-${id}`;
  const what = fillPlain(payments.signWhat, { amount: `${coin_amount} ${coin}`, address: address ?? '' });
  return html`<div class="sign">
    <h3>${what}</h3>
    ${problem === undefined ? null : html`<p class="fault">${problem.message}</p>`}
    ${request === undefined ? null : 'psbt' in request ? psbtOf(visit, id, request.psbt) : callOf(visit, { id, request, asked })}
    <form
      method="post"
      action="${paymentPath(visit)}/refunds/${id}/announce"
      class="step"
      id="announce-${id}"
    >
      <p class="field">
        <label for="${field}">${payments.signHash}</label>
        <input id="${field}" name="tx_hash" autocomplete="off" maxlength="128" required />
      </p>
      ${button(payments.signAnnounce, { kind: 'quiet' })}
    </form>
  </div>`;
}

interface ToSign {
  readonly id: string;
  readonly request: Exclude<NonNullable<RefundResource['request']>, { psbt: string }>;
  /** Whose wallet was asked; undefined: none. */
  readonly asked: AskedWallet | undefined;
}

/** Without a script: the fields that a wallet asks for. */
function callOf(visit: AtMerchant, { id, request, asked }: ToSign): Html {
  const { payments } = visit.texts;
  const { chainId, to, value, data } = request;
  const chain = WALLET_CHAINS[chainId];
  const network = chain?.chainName ?? '';
  const kit = JSON.stringify({ texts: payments.sign, network, added: chain ?? null });
  const facts = { chainId, to, value, data };
  return html`<div
      data-sign="${id}"
      data-chain="${chainId}"
      data-to="${to}"
      data-value="${value}"
      data-data="${data}"
      data-kit="${kit}"
      hidden
    >
      <p class="actions"></p>
      <p role="status"></p>
    </div>
    ${askedForm(visit, id, asked)}
    <details>
      <summary class="button">${payments.signByHand}</summary>
      ${pairs(Object.entries(facts).map(([name, fact]) => [name, html`<code>${fact}</code>`]))}
    </details>`;
}

/**
 * What is offered in the place of wallets while one was asked, which may have sent it: to whoever sees the
 * page. The script asks and takes back by the same form.
 */
function askedForm(visit: AtMerchant, id: string, asked: AskedWallet | undefined): Html {
  const { signAsked, signAskedBy, signAgain, signHeld } = visit.texts.payments;
  const isHeldByAnother =
    asked !== undefined && asked.person_id !== visit.session.person_id && heldUntil(asked) > visit.ctx.now();
  const release = isHeldByAnother
    ? html`<p>${fill(signHeld, { at: time(heldUntil(asked)) })}</p>`
    : button(signAgain, { kind: 'quiet' });
  const by = asked && fill(signAskedBy, { email: isolated(asked.email ?? ''), at: time(asked.at) });
  return html`<form
    method="post"
    action="${paymentPath(visit)}/refunds/${id}/wallet"
    class="step"
    id="asked-${id}"
    ${asked === undefined ? html`hidden` : null}
  >
    <input type="hidden" name="asked_at" value="${String(asked?.at.getTime() ?? '')}" />
    <p>${signAsked} ${by ?? null}</p>
    ${release}
  </form>`;
}

/** On Bitcoin: wallets that sign it take it as a text. */
function psbtOf({ texts }: AtMerchant, id: string, psbt: string): Html {
  const { payments } = texts;
  return html`<p class="field">
    <label for="psbt-${id}">${payments.signPsbt}</label>
    <span class="copies">
      <input id="psbt-${id}" value="${psbt}" readonly />
      <button type="button" data-copies="psbt-${id}" data-copied="${payments.copied}" hidden>
        ${payments.copy}
      </button>
    </span>
  </p>`;
}
