import { CURRENCIES } from '../../domain/chain/currencies.ts';
import { decimal } from '../../domain/checkout/markup/format.ts';
import { saleStateOf, type Sale } from '../../domain/tills/sales.ts';
import type { PairedTill } from '../../domain/tills/opening.ts';
import { fill, fillPlain, html, latin, type Html } from '../../platform/pages/html.ts';
import { newToken } from '../../platform/values/ids.ts';
import { hidden, time } from '../desk/shell/fields.ts';
import { LANGUAGE, type TillPage } from './document.ts';
import { EN } from './texts.ts';

/** As many sales as the first page shows. */
export const SHOWN_SALES = 30;

const FOLLOW_MS = 10_000;

/** What a till is priced in. */
export const currencyOf = ({ price_currency, settlement_currency }: PairedTill): string =>
  price_currency ?? settlement_currency;

export interface SellFault {
  readonly why: 'bad' | 'used' | 'suspended' | 'unavailable';
  readonly amount: string;
  /** The form that may be sent again; null: a new one. */
  readonly nonce: string | null;
}

const STATUS_OF = { bad: 400, used: 409, suspended: 403, unavailable: 503 } as const;

/** The page on which a cashier types an amount, above the sales that no close has counted. */
export function sellPage(till: PairedTill, sales: readonly Sale[], fault: SellFault | null): TillPage {
  return {
    title: EN.sell.title,
    status: fault === null ? 200 : STATUS_OF[fault.why],
    followMs: FOLLOW_MS,
    main: html`<div class="counter">${amountForm(till, fault)} ${listOf(till, sales)}</div>`,
  };
}

function amountForm(till: PairedTill, fault: SellFault | null): Html {
  const currency = currencyOf(till);
  const said = fault === null ? null : faultOf(till, fault);
  const label = fillPlain(EN.sell.amount, { currency });
  return html`<form method="post" action="/till/sales" class="sheet sell" id="sell">
    ${hidden('nonce', fault?.nonce ?? newToken())}
    <label for="amount">${label}</label>
    <input
      id="amount"
      name="amount"
      type="text"
      inputmode="decimal"
      autocomplete="off"
      dir="ltr"
      maxlength="20"
      required
      autofocus
      value="${fault?.amount ?? ''}"
      ${said === null ? null : html`aria-invalid="true" aria-describedby="fault"`}
    />
    ${said === null ? null : html`<p class="fault" id="fault" role="alert">${said}</p>`} ${keypad(till)}
    <button class="main">${EN.sell.submit}</button>
  </form>`;
}

function faultOf(till: PairedTill, { why }: SellFault): Html {
  if (why === 'suspended') return html`${EN.suspended}`;
  return fill(EN.sell[why], { currency: latin(currencyOf(till)) });
}

/** Shown by the script, which serves it. */
function keypad({ price_currency }: PairedTill): Html {
  const hasPoint = price_currency === null || CURRENCIES[price_currency].decimals > 0;
  const keys = ['7', '8', '9', '4', '5', '6', '1', '2', '3', ...(hasPoint ? ['.'] : ['00']), '0'];
  return html`<div class="keypad" hidden data-script>
    ${keys.map((key) => html`<button type="button" data-key="${key}">${key}</button>`)}
    <button type="button" data-key="erase" aria-label="${EN.sell.erase}">${'⌫'}</button>
  </div>`;
}

function listOf(till: PairedTill, sales: readonly Sale[]): Html {
  const { sell } = EN;
  const isCut = sales.length > SHOWN_SALES;
  const rows = sales.slice(0, SHOWN_SALES).map((sale) => rowOf(till, sale));
  return html`<section class="sheet" aria-labelledby="sales-title">
    <h2 id="sales-title">${sell.sales}</h2>
    <div id="sales" data-part>
      ${
        sales.length === 0
          ? html`<p class="small">${sell.noSales}</p>`
          : html`<ol class="sales">
              ${rows}
            </ol>`
      }
      ${isCut ? html`<p class="small">${sell.more}</p>` : null}
    </div>
    <p class="actions">
      <noscript
        ><span><a class="button" href="/till">${sell.refresh}</a></span></noscript
      >
      <a class="button" href="/till/close">${sell.toClose}</a>
    </p>
  </section>`;
}

function rowOf(till: PairedTill, sale: Sale): Html {
  const state = saleStateOf(sale);
  const amount = `${decimal(sale.amount, LANGUAGE.locale)} ${currencyOf(till)}`;
  return html`<li data-sale="${sale.number}" data-paid="${String(state === 'paid')}">
    <a href="/till/sales/${sale.number}"
      ><span>${fill(EN.sale.title, { number: latin(String(sale.number)) })}</span> <b>${latin(amount)}</b></a
    >
    <span class="state ${state}">${EN.states[state]}</span> ${time(sale.created_at)}
  </li>`;
}
