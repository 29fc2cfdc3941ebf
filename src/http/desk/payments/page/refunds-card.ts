import type { AskedWallet } from '../../../../domain/payments/refunds/by-merchant/ask-wallet.ts';
import type { RefundList, RefundResource } from '../../../../domain/payments/refunds/schemas.ts';
import { fill, html, type Html } from '../../../../platform/pages/html.ts';
import { table, time } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { signForm } from './sign-form.ts';

/** The refunds of a payment, newest first; null: there is none. */
export function refundsCard(
  visit: AtMerchant,
  { refunds: { data }, wallets }: { refunds: RefundList; wallets: readonly AskedWallet[] },
): Html | null {
  const { payments } = visit.texts;
  if (data.length === 0) return null;
  const heads = [payments.at, payments.sent, payments.sentTo, payments.status, payments.refundReason];
  return html`<section class="card">
    <h2>${payments.refunds}</h2>
    ${table(
      payments.refunds,
      heads,
      data.map((refund) => rowOf(visit, refund)),
    )}
    ${data.map(
      (refund) =>
        signForm(
          visit,
          refund,
          wallets.find(({ refund_id }) => refund_id === refund.id),
        ) ?? html``,
    )}
  </section>`;
}

function rowOf(visit: AtMerchant, refund: RefundResource): Html[] {
  const { coin_amount, coin, network, address, status, tx_hash, reason, problem, created_at, price } = refund;
  return [
    time(new Date(created_at)),
    html`<span
      ><bdi dir="ltr">${coin_amount} ${coin}</bdi>, ${network}
      ${price === undefined ? null : html`<span class="small">${priceOf(visit, price)}</span>`}</span
    >`,
    address === null ? html`${visit.texts.payments.noAddress}` : html`<code>${address}</code>`,
    html`<span
      ><strong>${status}</strong> ${tx_hash === null ? null : html`<code>${tx_hash}</code>`}
      ${problem === undefined ? null : html`<span class="fault">${problem.message}</span>`}</span
    >`,
    html`${reason === null ? null : html`<bdi>${reason}</bdi>`}`,
  ];
}

function priceOf(
  { texts }: AtMerchant,
  { amount, currency, rate }: NonNullable<RefundResource['price']>,
): Html {
  const price = html`<bdi dir="ltr">${amount} ${currency}</bdi>`;
  return fill(texts.payments.refundPrice, { price, rate: html`<bdi dir="ltr">${rate}</bdi>` });
}
