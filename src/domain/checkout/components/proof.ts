import { writtenLike } from '../../../platform/values/money.ts';
import { decimal, time } from '../markup/format.ts';
import { fill, html, latin, type Html } from '../../../platform/pages/html.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Language } from '../../languages/languages.ts';
import type { ShownTransfer } from '../view/store.ts';
import type { Served, View } from '../view/view.ts';

/** The transaction that is awaited; null: none is. */
export function awaitedComponent({ payment }: View, { explorers }: Served, language: Language): Html | null {
  const { sent_hash, sent_network } = payment;
  if (sent_hash === null || sent_network === null) return null;
  return html`<dl class="facts">
    ${row(language.page.transaction, transaction(sent_hash, explorers[sent_network]))}
  </dl>`;
}

/**
 * What came, when, and by which transaction: what a customer shows to prove that they paid. Null: nothing
 * came.
 */
export function proofComponent(
  { payment, state, nameOf }: View,
  { explorers }: Served,
  language: Language,
  sendsReceipts: boolean,
): Html | null {
  const { page: texts, locale } = language;
  const rows = payment.transfers.flatMap((transfer) =>
    rowsOf(
      { ...transfer, amount: writtenLike(transfer.amount, payment.pay_amount), on: nameOf(transfer.network) },
      explorers,
      language,
    ),
  );
  if (state === 'settled' && payment.settled_at !== null)
    rows.push(row(texts.paidAt, time(payment.settled_at, locale)));
  if (state === 'settled' && sendsReceipts && payment.customer_email !== null) {
    const mail = latin(masked(payment.customer_email));
    rows.push(row(texts.receipt, fill(texts.receiptTo, { mail })));
  }
  if (rows.length === 0) return null;
  return html`<h2 class="unseen">${texts.proof}</h2>
    <dl class="facts">${rows}</dl>`;
}

function rowsOf(
  { tx_hash, coin, network, on, amount, seen_at }: ShownTransfer & { readonly on: string },
  explorers: Served['explorers'],
  { page: texts, locale }: Language,
): Html[] {
  const sent = fill(texts.method, {
    coin: latin(`${decimal(amount, locale)} ${coin}`),
    network: latin(on),
  });
  const rows = [row(texts.sent, html`<b>${sent}</b>`), row(texts.seenAt, time(new Date(seen_at), locale))];
  if (tx_hash === null) return rows;
  return [...rows, row(texts.transaction, transaction(tx_hash, explorers[network]))];
}

/** A transaction's hash, which leads to its explorer where there is one. */
function transaction(txHash: string, explorer: Served['explorers'][NetworkId]): Html {
  const hash = html`<code class="copy hash" dir="ltr">${txHash}</code>`;
  const url = explorer?.replace('{tx}', () => encodeURIComponent(txHash));
  return url === undefined
    ? hash
    : html`<a href="${url}" target="_blank" rel="noopener noreferrer">${hash}</a>`;
}

function row(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** Enough for its owner to know it, and no more: whoever has the link reads it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…${address.slice(at)}`;
}
