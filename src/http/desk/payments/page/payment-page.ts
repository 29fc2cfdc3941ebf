import type { OfferedAction } from '../../../../domain/checkout/actions/simulate.ts';
import type { AskedWallet } from '../../../../domain/payments/refunds/by-merchant/ask-wallet.ts';
import type { RefundList } from '../../../../domain/payments/refunds/schemas.ts';
import type { UnsoldSale } from '../../../../domain/payments/sales/decide.ts';
import type { PaymentResource } from '../../../../domain/payments/schemas.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { pairs } from '../../shell/choices.ts';
import { alert, said, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { deskScript } from '../../shell/style.ts';
import { LINK_FIELD, paymentHead } from './head.ts';
import { refundsCard } from './refunds-card.ts';
import { salesCard } from './sales-card.ts';
import { timelineCard, type Timeline } from './timeline.ts';

/** What the page of a payment shows. */
export interface ShownPayment {
  readonly payment: PaymentResource;
  readonly timeline: Timeline;
  readonly refunds: RefundList;
  /** Wallets that were asked to pay them. */
  readonly wallets: readonly AskedWallet[];
  /** What of it waits to be sold. */
  readonly sales: readonly UnsoldSale[];
  readonly actions: readonly OfferedAction[];
  /** What is wrong with what was asked for; null: nothing was. */
  readonly fault: string | null;
}

const COPY = deskScript(['copy.js']);
/** Only where there is something to sign. */
const SIGN = deskScript(['../checkout/announced.js', '../checkout/wallet-faults.js', 'sign.js']);

const SAID = ['cancelled', 'refunded', 'simulated', 'announced', 'asked', 'released', 'decided'] as const;

/** A payment: what it is, what one can do with it, and what happened to it. */
export function paymentPage(visit: AtMerchant, shown: ShownPayment): Page {
  const { payments } = visit.texts;
  const { payment, fault } = shown;
  const hasToSign = shown.refunds.data.some(({ request }) => request !== undefined);
  const note = SAID.find((one) => one === visit.query.get('said'));
  return {
    title: payments.payment,
    scripts: [COPY, ...(hasToSign ? [SIGN] : [])],
    mayFetch: hasToSign,
    status: fault === null ? 200 : 409,
    head: html`${said(note === undefined ? null : payments.said[note])} ${alert(fault)}
    ${paymentHead(visit, payment, shown.actions)}`,
    main: html`${salesCard(visit, shown.sales)} ${refundsCard(visit, shown)}
      <section class="card">${factsOf(visit, payment)}</section>
      ${timelineCard(visit, shown.timeline)}`,
  };
}

function factsOf({ texts }: AtMerchant, payment: PaymentResource): Html {
  const { payments } = texts;
  const coins = (amount: string) => html`<bdi dir="ltr">${amount} ${payment.pay_currency}</bdi>`;
  const facts: readonly (readonly [string, Html])[] = [
    [payments.payment, html`<code>${payment.id}</code>`],
    [payments.received, coins(payment.amount_received)],
    [payments.refunded, coins(payment.amount_refunded)],
    [payments.created, time(new Date(payment.created_at))],
    [payments.ends, time(new Date(payment.expires_at))],
    [payments.link, linkOf(texts, payment.checkout_url)],
    ...Object.entries(payment.metadata).map(([name, value]) => [name, html`<bdi>${value}</bdi>`] as const),
  ];
  return pairs(facts);
}

/** To be copied: by the button of the head, or selected without a script. */
function linkOf({ payments }: AtMerchant['texts'], url: string): Html {
  return html`<input id="${LINK_FIELD}" value="${url}" readonly aria-label="${payments.link}" />`;
}
