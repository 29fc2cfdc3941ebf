import { bareCodes } from '../../domain/checkout/components/code.ts';
import { choice, firstChoice } from '../../domain/checkout/components/choice.ts';
import { decimal, inFours, time } from '../../domain/checkout/markup/format.ts';
import { checkoutPath } from '../../domain/checkout/page/page.ts';
import type { Served, View } from '../../domain/checkout/view/view.ts';
import type { Sale, SaleState } from '../../domain/tills/sales.ts';
import type { PairedTill } from '../../domain/tills/opening.ts';
import { fill, fillPlain, html, latin, type Html } from '../../platform/pages/html.ts';
import { max, subtract, writtenLike } from '../../platform/values/money.ts';
import { button, form } from '../desk/shell/fields.ts';
import { LANGUAGE, type TillPage } from './document.ts';
import { currencyOf } from './sell-page.ts';
import { EN } from './texts.ts';

/** Once a customer has paid, somebody waits for this page. */
const FOLLOW_MS = 2_000;
const REFRESH_SECONDS = 5;

/** A sale whose payment was created, as its page shows it. */
export interface ShownSale {
  readonly till: PairedTill;
  readonly sale: Sale;
  readonly state: SaleState;
  readonly view: View;
  readonly served: Served;
  /** The choice of the coin is open. */
  readonly isOpen: boolean;
  /** Nobody reads its network now: what is shown of the money may be old. */
  readonly isUnread: boolean;
  /** What the last form was refused for; null: nothing. */
  readonly fault: 'uncancelled' | 'badMethod' | null;
}

export const salePath = (number: number): string => `/till/sales/${number}`;

/** The page of a sale: the code while it is to be paid, then what came of it. */
export function salePage(shown: ShownSale): TillPage {
  const { till, sale, state, view, fault } = shown;
  const isCertain = state === 'paid';
  const title = `${decimal(sale.amount, LANGUAGE.locale)} ${currencyOf(till)}`;
  const says = fault === null ? null : html`<p class="alert" role="alert">${EN.sale[fault]}</p>`;
  return {
    title: `${fillPlain(EN.sale.title, { number: String(sale.number) })}: ${title}`,
    status: fault === null ? 200 : 409,
    ...(view.isLive && !isCertain ? { refreshSeconds: REFRESH_SECONDS } : {}),
    followMs: FOLLOW_MS,
    main: html`${says}
      <div id="sale" class="sheet sale" data-part data-sale="${sale.number}" data-paid="${String(isCertain)}">
        ${statusOf(shown)} ${unreadOf(shown)} ${toPay(shown)}
      </div>
      <div id="ways" class="ways" data-part>
        <a class="button main" id="next" href="/till">${EN.sale.next}</a> ${cancelForm(shown)}
      </div>`,
  };
}

function statusOf({ state, view }: ShownSale): Html {
  const { payment, confirmations, requiredConfirmations } = view;
  const inOwn = (amount: string) =>
    latin(`${decimal(writtenLike(amount, payment.pay_amount), LANGUAGE.locale)} ${payment.pay_currency}`);
  const hint = fill(EN.hints[state], {
    received: inOwn(payment.amount_received),
    missing: inOwn(max(subtract(payment.pay_amount, payment.amount_received), '0')),
    count: String(confirmations),
    required: String(requiredConfirmations),
  });
  return html`<div class="now ${state}" role="status">
    ${state === 'paid' ? TICK : null}
    <p><b>${EN.states[state]}</b></p>
    ${EN.hints[state] === '' ? null : html`<p>${hint}</p>`}
  </div>`;
}

/** While something is still to be known. */
function unreadOf({ isUnread, state, view: { payment, nameOf } }: ShownSale): Html | null {
  if (!isUnread || !WAITING.includes(state)) return null;
  return html`<p class="warning">${fill(EN.sale.unread, { network: latin(nameOf(payment.network)) })}</p>`;
}

const WAITING: readonly SaleState[] = ['open', 'part', 'seen'];

/** Drawn by the style sheet, unless less motion is asked for. */
const TICK = html`<svg class="tick" viewBox="0 0 48 48" width="96" height="96" aria-hidden="true">
  <circle cx="24" cy="24" r="21" />
  <path d="M14 25l7 7 14-15" />
</svg>`;

/** Amount, address and code, while money is asked for. */
function toPay(shown: ShownSale): Html | null {
  const { sale, view, served, isOpen } = shown;
  const { payment, toSend, nameOf, payBy, priceUntil } = view;
  const path = salePath(sale.number);
  if (view.mustChoose)
    return (
      firstChoice(view, served, LANGUAGE, `${path}/coin`) ?? html`<p class="warning">${EN.sale.unserved}</p>`
    );
  if (toSend === null) return null;
  const paths = { coinPath: `${path}/coin`, togglePath: isOpen ? path : `${path}?open`, isOpen };
  const chosen = choice(view, served, LANGUAGE, paths);
  if (!served.networks.includes(payment.network))
    return html`${chosen}
      <p class="warning">${EN.sale.unserved}</p>`;
  const until = priceUntil ?? payBy;
  return html`<div class="till-code">
      ${bareCodes(view, served, LANGUAGE) ?? html`<p class="small">${EN.sale.noCode}</p>`}
    </div>
    <div class="till-pay">
      <h2 class="unseen">${EN.sale.method}</h2>
      ${chosen}
      <h2>${EN.sale.send}</h2>
      <p class="amount" dir="ltr">${decimal(toSend, LANGUAGE.locale, { grouped: false })} ${payment.coin}</p>
      <h3>${fill(EN.sale.to, { network: latin(nameOf(payment.network)) })}</h3>
      <p dir="ltr"><code class="address">${inFours(view.address)}</code></p>
      ${until === null ? null : html`<p class="small">${untilOf(until)}</p>`}
      <p><a href="${checkoutPath(payment.token_id)}" target="_blank" rel="noopener">${EN.sale.page}</a></p>
    </div>`;
}

const untilOf = (until: Date): Html =>
  fill(EN.sale.until, { time: time(until, LANGUAGE.locale, { secondsAway: 0 }) });

/** A payment with enough money, or that has ended, is not cancelled. */
function cancelForm({ sale, state }: ShownSale): Html | null {
  if (state !== 'open') return null;
  return form(`${salePath(sale.number)}/cancel`, button(EN.sale.cancel, { kind: 'quiet' }), 'inline');
}

/** A sale without a payment: it was typed, and could not be made. */
export function unmadePage({ number, amount }: Sale, till: PairedTill): TillPage {
  const title = `${decimal(amount, LANGUAGE.locale)} ${currencyOf(till)}`;
  return {
    title: `${fillPlain(EN.sale.title, { number: String(number) })}: ${title}`,
    main: html`<div class="sheet sale" id="sale" data-part data-sale="${number}" data-paid="false">
      <p>${EN.sale.unpaid}</p>
      <a class="button main" href="/till">${EN.sale.next}</a>
    </div>`,
  };
}
