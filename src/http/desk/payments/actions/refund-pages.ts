import type { ChainProfile } from '../../../../domain/chain/profile.ts';
import { MOST_TRANSFERS } from '../../../../domain/payments/refunds/asked/transfers-to-refund.ts';
import type { RefundPreview } from '../../../../domain/payments/refunds/request.ts';
import { isUnsigned } from '../../../../domain/payments/refunds/states.ts';
import type { Refund } from '../../../../domain/payments/refunds/store.ts';
import { CURRENCY_IDS } from '../../../../domain/chain/currencies.ts';
import { fill, fillPlain, html, latin, type Html } from '../../../../platform/pages/html.ts';
import { asWritten, sum } from '../../../../platform/values/money.ts';
import { alert, button, field, form, hidden, select, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { formField } from '../../verbs.ts';
import { paymentPath } from '../page/own.ts';

interface RefundForm {
  /** What a refund of everything would be; none: nothing can be refunded. */
  readonly refunds: readonly Refund[];
  /** Those leave a part, which came in too many transfers. */
  readonly hasMore: boolean;
  /** The currency of the payment's price, which is offered first; null: it has none. */
  readonly priced: string | null;
  /** What is wrong with what was entered; null: nothing. */
  readonly fault: string | null;
  /** Of the page, where something is wrong. */
  readonly status: number;
}

/** What is entered of a refund. */
const FIELDS = ['amount', 'currency', 'reason', 'to', 'address'] as const;

/** The form of a refund; where nothing can be refunded, why. */
export function refundPage(visit: AtMerchant, shown: RefundForm): Page {
  const { payments } = visit.texts;
  const { refunds, fault, status } = shown;
  const back = html`<p><a class="button" href="${paymentPath(visit)}">${payments.back}</a></p>`;
  const [first] = refunds;
  const asked = first === undefined ? null : askedForm(visit, shown, first);
  return {
    title: payments.refundTitle,
    status: fault === null ? 200 : status,
    main: html`${alert(fault)}
      <section class="card narrow">${asked} ${back}</section>`,
  };
}

function askedForm(visit: AtMerchant, shown: RefundForm, { amount, currency }: Refund): Html {
  const { refunds, hasMore, priced } = shown;
  const { payments } = visit.texts;
  const left = `${asWritten(sum(refunds.map((one) => one.amount)), amount)} ${currency}`;
  const ways = [
    ['customer', payments.refundToCustomer],
    ['sender', payments.refundToSender],
    ['address', payments.refundToAddress],
  ] as const;
  const others = CURRENCY_IDS.filter((id) => id !== priced);
  const currencies = [currency, ...(priced === null ? [] : [priced]), ...others].map(
    (id) => [id, id] as const,
  );
  const value = (name: (typeof FIELDS)[number]) => ({ name, value: visit.field(name) });
  const fields = html`<p>${fillPlain(payments.refundLeft, { amount: left })}</p>
    ${moreOf(visit, hasMore)}
    ${field({
      ...value('amount'),
      label: payments.refundAmount,
      hint: payments.refundAmountHint,
      isOptional: true,
    })}
    ${select({ ...value('currency'), label: payments.refundCurrency }, currencies)}
    ${select({ ...value('to'), label: payments.refundTo }, ways)}
    ${field({ ...value('address'), label: payments.refundAddress, hint: payments.refundAddressHint, isOptional: true })}
    ${field({ ...value('reason'), label: payments.refundReason, hint: payments.refundReasonHint, isOptional: true })}
    ${button(payments.refundPreview)}`;
  return form(`${paymentPath(visit)}/refund/preview`, fields);
}

/** What a refund would send where, and the button that makes it, once. */
export function previewPage(visit: AtMerchant, chains: ChainProfile, shown: RefundPreview): Page {
  const { refunds, mark, hasMore } = shown;
  const { texts, merchant, field: entered } = visit;
  const { payments } = texts;
  const path = paymentPath(visit);
  const kept = FIELDS.map((name) => hidden(name, entered(name)));
  const fields = html`${kept} ${hidden('mark', mark)} ${formField()} ${button(payments.refundNow)}`;
  const heads = [payments.sent, payments.sentTo, payments.by, payments.credited];
  const rows = refunds.map((refund) => rowOf(visit, chains, refund));
  const reason = entered('reason').trim();
  return {
    title: payments.previewTitle,
    main: html`<section class="card">
      <p>${payments.previewText} ${merchant.mode === 'test' ? payments.previewTest : null}</p>
      ${moreOf(visit, hasMore)} ${table(payments.previewTitle, heads, rows)}
      ${refunds.map((refund) => priceOf(visit, refund))}
      ${reason === '' ? null : html`<p>${payments.refundReason}: <bdi>${reason}</bdi></p>`}
      <div class="actions">
        ${form(`${path}/refund`, fields, 'inline')}
        <a class="button" href="${path}/refund">${payments.refundChange}</a>
      </div>
    </section>`,
  };
}

function moreOf({ texts: { payments } }: AtMerchant, hasMore: boolean): Html | null {
  const count = MOST_TRANSFERS.toLocaleString('en');
  return hasMore ? html`<p class="care">${fillPlain(payments.refundMore, { count })}</p>` : null;
}

/** What a refund by price was converted with, and that it is converted again. */
function priceOf({ texts: { payments } }: AtMerchant, refund: Refund): Html {
  const { price, coin, coin_amount, currency: credited, created_at } = refund;
  if (price === null) return html``;
  const { amount, currency, rate, rated_at, sources } = price;
  const rated = new Date(rated_at);
  const seconds = Math.max(0, Math.round((created_at.getTime() - rated.getTime()) / 1000));
  return html`<p>
      ${fill(payments.previewPrice, {
        price: latin(`${amount} ${currency}`),
        coins: latin(`${coin_amount} ${coin}`),
        rate: latin(rate),
        currency,
        coin: credited,
      })}
      ${fill(payments.previewRate, { time: time(rated), seconds: String(seconds) })}
      ${sources.length === 0 ? null : fillPlain(payments.previewSources, { sources: sources.join(', ') })}
    </p>
    <p>${payments.previewMoves}</p>`;
}

function rowOf({ texts }: AtMerchant, chains: ChainProfile, refund: Refund): Html[] {
  const { payments } = texts;
  const { coin, network, coin_amount, amount, currency, address, status } = refund;
  const name = chains.nameOf(network);
  return [
    html`<span><bdi dir="ltr">${coin_amount} ${coin}</bdi>, ${name}</span>`,
    address === null
      ? html`${fillPlain(payments.asksCustomer, { network: name })}`
      : html`<code>${address}</code>`,
    html`${address === null ? '' : isUnsigned(status) ? payments.byMerchant : payments.byService}`,
    html`<bdi dir="ltr">${amount} ${currency}</bdi>`,
  ];
}
