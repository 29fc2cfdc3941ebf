import { saleStateOf, type Sale } from '../../domain/tills/sales.ts';
import type { PairedTill } from '../../domain/tills/opening.ts';
import type { Close } from '../../domain/tills/close.ts';
import type { Totals, Uncounted } from '../../domain/tills/totals.ts';
import { decimal } from '../../domain/checkout/markup/format.ts';
import { NETWORKS } from '../../domain/chain/networks.ts';
import { CURRENCIES, isCurrency } from '../../domain/chain/currencies.ts';
import { fill, fillPlain, html, isolated, latin, type Html } from '../../platform/pages/html.ts';
import { writtenLike } from '../../platform/values/money.ts';
import { button, field, form, hidden, table, time } from '../desk/shell/fields.ts';
import { LANGUAGE, type TillPage } from './document.ts';
import { currencyOf } from './sell-page.ts';
import { EN } from './texts.ts';

/** As many sales as a close lists; its totals hold all. */
export const LISTED_SALES = 500;

export const closePath = (number: number): string => `/till/closes/${number}`;

/** What a close would count now, and the form that closes. */
export function closePage(
  till: PairedTill,
  { totals, left, closes }: { totals: Totals; left: Uncounted; closes: readonly Close[] },
  isStale: boolean,
): TillPage {
  const { close } = EN;
  const text = till.closes === 0 ? close.first : fillPlain(close.text, { close: String(till.closes) });
  const fields = html`${hidden('number', String(till.closes + 1))}
  ${field({ name: 'by', label: close.by, isOptional: true })} ${button(close.submit)}`;
  return {
    title: close.title,
    status: isStale ? 409 : 200,
    main: html`${isStale ? html`<p class="alert" role="alert">${close.stale}</p>` : null}
      <section class="sheet">
        <p>${text}</p>
        ${totalsOf(totals)} ${leftOf(left)} ${form('/till/close', fields, 'step narrow')}
      </section>
      ${closes.length === 0 ? null : earlier(closes)}
      <p><a class="button" href="/till">${close.back}</a></p>`,
  };
}

function leftOf({ open, partly }: Uncounted): Html {
  const count = (text: string, number: number) =>
    number === 0 ? null : html`<p class="warning">${fill(text, { count: String(number) })}</p>`;
  return html`${count(EN.close.open, open)} ${count(EN.close.partly, partly)}`;
}

function earlier(closes: readonly Close[]): Html {
  const rows = closes.map(
    ({ number, closed_at }) =>
      html`<li>
        <a href="${closePath(number)}">${fill(EN.closed.title, { number: String(number) })}</a>
        ${time(closed_at)}
      </li>`,
  );
  return html`<section class="sheet">
    <h2>${EN.close.earlier}</h2>
    <ol class="sales">
      ${rows}
    </ol>
  </section>`;
}

/** A close, as it is printed. */
export function closedPage(till: PairedTill, close: Close, sales: readonly Sale[]): TillPage {
  const { closed } = EN;
  const { number, closed_at, closed_by, device_name, totals } = close;
  const facts = { time: time(closed_at), device: isolated(device_name), name: isolated(closed_by) };
  const shown = sales.slice(0, LISTED_SALES);
  const isCut = sales.length > LISTED_SALES;
  return {
    title: `${till.merchant_name}, ${till.name}: ${fillPlain(closed.title, { number: String(number) })}`,
    kind: 'paper',
    main: html`<section class="sheet">
        <p>${fill(closed_by === '' ? closed.facts : closed.factsBy, facts)}</p>
        ${totalsOf(totals)} ${shown.length === 0 ? null : salesTable(till, shown)}
        ${isCut ? html`<p class="small">${fill(closed.only, { count: String(LISTED_SALES) })}</p>` : null}
      </section>
      <p class="actions">
        <button type="button" id="print" hidden data-script>${closed.print}</button>
        <a class="button" href="/till">${EN.close.back}</a>
      </p>`,
  };
}

/** What a till has taken, by the currency of its prices and by what came. */
export function totalsOf({ count, prices, coins, refunds }: Totals): Html {
  const { closed } = EN;
  if (count === 0) return html`<p><b>${closed.nothing}</b></p>`;
  const priced = prices.map((one) => [html`${one.count}`, money(one.amount, one.currency)]);
  const came = coins.map(({ coin, network, amount }) => [
    html`${coin}`,
    html`${NETWORKS[network].name}`,
    money(amount, coin),
  ]);
  return html`${table(closed.price, [closed.count, closed.price], priced)}
  ${came.length === 0 ? null : table(closed.came, [closed.coin, closed.network, closed.came], came)}
  ${refunds.map(({ amount, currency }) => html`<p>${closed.refunded}: ${money(amount, currency)}</p>`)}`;
}

function money(amount: string, currency: string): Html {
  const decimals = isCurrency(currency) ? CURRENCIES[currency].decimals : 0;
  const written = writtenLike(amount, `0.${'0'.repeat(decimals)}`);
  return html`<b>${latin(`${decimal(written, LANGUAGE.locale)} ${currency}`)}</b>`;
}

function salesTable(till: PairedTill, sales: readonly Sale[]): Html {
  const { closed } = EN;
  const rows = sales.map((sale) => [
    html`${sale.number}`,
    latin(`${decimal(sale.amount, LANGUAGE.locale)} ${currencyOf(till)}`),
    time(sale.created_at),
    html`${EN.states[saleStateOf(sale)]}`,
    html`<code>${sale.payment_id ?? ''}</code>`,
  ]);
  const heads = [closed.sale, closed.amount, closed.time, closed.state, closed.payment];
  return table(closed.sale, heads, rows);
}
