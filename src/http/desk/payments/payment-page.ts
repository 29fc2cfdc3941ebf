import type { PaymentResource } from '../../../domain/payments/schemas.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { table, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import type { Happened } from './timeline.ts';

/** A payment: what it is, and what happened to it. */
export function paymentPage(
  visit: AtMerchant,
  payment: PaymentResource,
  timeline: readonly Happened[],
): Page {
  const { texts } = visit;
  const { payments } = texts;
  const rows = timeline.map(({ at, what, facts }) => [
    time(at),
    html`${what}`,
    html`<span class="facts-of">${facts.map((fact) => html`<code>${fact}</code>`)}</span>`,
  ]);
  return {
    title: payments.payment,
    main: html`<section class="card">${factsOf(visit, payment)}</section>
      <section class="card">
        <h2>${payments.timeline}</h2>
        ${table(payments.timeline, [payments.at, payments.what, payments.facts], rows)}
      </section>`,
  };
}

function factsOf({ texts }: AtMerchant, payment: PaymentResource): Html {
  const { payments } = texts;
  const coins = (amount: string) => html`<bdi dir="ltr">${amount} ${payment.pay_currency}</bdi>`;
  const facts: readonly (readonly [string, Html])[] = [
    [payments.payment, html`<code>${payment.id}</code>`],
    [payments.order, html`<bdi>${payment.order_id}</bdi>`],
    [payments.status, html`<strong>${payment.status}</strong> ${payment.exceptions.join(', ')}`],
    [payments.amount, coins(payment.pay_amount)],
    [payments.received, coins(payment.amount_received)],
    [payments.refunded, coins(payment.amount_refunded)],
    [payments.created, time(new Date(payment.created_at))],
    [payments.ends, time(new Date(payment.expires_at))],
    [payments.link, html`<a href="${payment.checkout_url}">${payment.checkout_url}</a>`],
    ...Object.entries(payment.metadata).map(([name, value]) => [name, html`<bdi>${value}</bdi>`] as const),
  ];
  return html`<dl class="pairs">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
