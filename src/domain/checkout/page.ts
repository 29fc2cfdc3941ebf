import { createHash } from 'node:crypto';
import { COINS } from '../chain/coins.ts';
import { NETWORKS } from '../chain/networks.ts';
import type { Payment } from '../payments/payment.ts';
import { allows } from '../payments/states.ts';

/** Safe text for the inside of an element or a quoted attribute. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 30rem; }
  h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
  dl { display: grid; gap: .25rem; margin: 1.5rem 0; }
  dt { opacity: .75; font-size: .875rem; }
  dd { margin: 0 0 .75rem; overflow-wrap: anywhere; }
  code { font-size: 1rem; user-select: all; }
  .amount { font-size: 1.5rem; font-weight: 600; }
  .status { padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; }
`;

/** No script, no other origin, no frame; the one style sheet is known by its hash. */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STATUS_TEXT: Record<Payment['status'], string> = {
  WAITING: 'Waiting for your payment.',
  PENDING: 'Your payment was seen and is being confirmed.',
  PROCESSING: 'Your payment is confirmed and is being processed.',
  SETTLED: 'Paid. Thank you!',
  EXPIRED: 'This payment has expired. Please do not send money to this address any more.',
  FAILED: 'This payment has failed. Please contact the merchant.',
  REFUNDED: 'This payment was refunded.',
};

const REFRESH_SECONDS = 5;

/** The checkout page of a payment: what to pay, where, until when, and how it stands. Refreshes itself while it can still change. */
export function checkoutPage(payment: Payment & { merchant_name: string }): string {
  const { status, success_url, cancel_url } = payment;
  const isOpen =
    allows(status, 'transfer_seen') || allows(status, 'confirmed_in_full') || allows(status, 'settled');
  const links = [
    status === 'SETTLED' && success_url !== null ? link(success_url, 'Continue to the merchant') : '',
    status === 'WAITING' && cancel_url !== null ? link(cancel_url, 'Cancel') : '',
  ].join('');
  return document(
    payment.merchant_name,
    `<h1>${escape(payment.merchant_name)}</h1>
    ${payment.order_description === null ? '' : `<p dir="auto">${escape(payment.order_description)}</p>`}
    <p class="status" role="status">${STATUS_TEXT[status]}</p>
    ${isPayable(payment) ? instructions(payment) : summary(payment)}
    ${links}`,
    isOpen ? `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">` : '',
  );
}

function isPayable({ status }: Payment): boolean {
  return allows(status, 'deadline_passed');
}

function instructions(payment: Payment): string {
  const coin = COINS[payment.coin].name;
  const network = NETWORKS[payment.network].name;
  return `<dl>
      <dt>Amount</dt><dd class="amount"><code>${escape(payment.crypto_amount)}</code> ${payment.coin}</dd>
      <dt>Coin and network</dt><dd>${coin} on ${network}. Money sent on another network may be lost.</dd>
      <dt>Address</dt><dd><code>${escape(payment.address)}</code></dd>
      <dt>Pay until</dt><dd><time datetime="${payment.expires_at.toISOString()}">${payment.expires_at.toUTCString()}</time></dd>
      <dt>Order</dt><dd dir="auto">${escape(payment.order_id)}</dd>
    </dl>`;
}

function summary(payment: Payment): string {
  return `<dl>
      <dt>Amount</dt><dd class="amount">${escape(payment.pay_amount)} ${payment.pay_currency}</dd>
      <dt>Order</dt><dd dir="auto">${escape(payment.order_id)}</dd>
    </dl>`;
}

function link(url: string, label: string): string {
  return `<p><a href="${escape(url)}" rel="noreferrer">${label}</a></p>`;
}

/** The page for a token or a path that does not exist. */
export function missingPage(): string {
  return document(
    'Not found',
    '<h1>Not found</h1><p>There is no such page. Please check the link that the merchant gave you.</p>',
  );
}

/** The page for a moment at which the payment cannot be read. */
export function errorPage(): string {
  const refresh = `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`;
  return document(
    'One moment',
    '<h1>One moment</h1><p>The payment cannot be shown just now. This page tries again by itself.</p>',
    refresh,
  );
}

function document(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    ${head}
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
    ${body}
    </main>
  </body>
</html>
`;
}
