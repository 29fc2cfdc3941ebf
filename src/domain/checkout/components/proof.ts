import { writtenLike } from '../../../platform/values/money.ts';
import { decimal, inFours, time } from '../markup/format.ts';
import { fill, html, latin, type Html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { ShownRefund, ShownTransfer } from '../view/store.ts';
import { GETS_RECEIPT, type Served, type State, type View } from '../view/view.ts';

/** Nobody keeps a receipt of a payment that goes on. */
const isPrinted = (state: State): boolean => !['sent', 'underpaid', 'seen', 'confirming'].includes(state);

/** The transaction that is awaited; null: none is. */
export function awaitedComponent({ payment }: View, { explorers }: Served, language: Language): Html | null {
  const { sent_hash, sent_network } = payment;
  if (sent_hash === null || sent_network === null) return null;
  return html`<dl class="facts">${transactionRow(language.page, sent_hash, explorers[sent_network])}</dl>`;
}

/**
 * What came and what went back, when, and by which transactions: what a customer shows to prove that they
 * paid, and prints. Null: nothing came.
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
  if (GETS_RECEIPT.includes(state) && sendsReceipts && payment.customer_email !== null) {
    const mail = latin(masked(payment.customer_email));
    rows.push(row(texts.receipt, fill(texts.receiptTo, { mail })));
  }
  for (const { completed_at, ...refund } of payment.refunds)
    if (completed_at !== null) {
      const amount = writtenLike(refund.amount, payment.pay_amount);
      const paid = { ...refund, amount, on: nameOf(refund.network), at: new Date(completed_at) };
      rows.push(...refundRows(paid, explorers, language));
    }
  if (rows.length === 0) return null;
  rows.push(row(language.receipt.payment, html`<code class="copy id" dir="ltr">${payment.id}</code>`));
  return html`<h2 class="unseen">${texts.proof}</h2>
    <dl class="facts">${rows}</dl>
    ${
      isPrinted(state)
        ? html`<button type="button" id="print" data-script data-name="${payment.id}" hidden>
            ${texts.print}
          </button>`
        : null
    }`;
}

function rowsOf(
  { tx_hash, coin, network, on, amount, seen_at }: ShownTransfer & { readonly on: string },
  explorers: Served['explorers'],
  language: Language,
): Html[] {
  const { page: texts, locale } = language;
  const rows = [
    row(texts.sent, moneyOf({ amount, coin, on }, language)),
    row(texts.seenAt, time(new Date(seen_at), locale)),
  ];
  return tx_hash === null ? rows : [...rows, transactionRow(texts, tx_hash, explorers[network])];
}

/** A refund that was paid out. */
function refundRows(
  refund: Omit<ShownRefund, 'completed_at'> & { readonly on: string; readonly at: Date },
  explorers: Served['explorers'],
  language: Language,
): Html[] {
  const { page: texts, locale } = language;
  const { at, address, tx_hash, network } = refund;
  const to = address === null ? null : html`<code class="copy address" dir="ltr">${inFours(address)}</code>`;
  return [
    row(texts.refundedAmount, moneyOf(refund, language)),
    row(texts.refundedAt, time(at, locale)),
    ...(to === null ? [] : [row(texts.refundedTo, to)]),
    ...(tx_hash === null ? [] : [transactionRow(texts, tx_hash, explorers[network])]),
  ];
}

function moneyOf(
  { amount, coin, on }: { amount: string; coin: string; on: string },
  { page: texts, locale }: Language,
): Html {
  const money = { coin: latin(`${decimal(amount, locale)} ${coin}`), network: latin(on) };
  return html`<b>${fill(texts.method, money)}</b>`;
}

/** A transaction, linked where its network has an explorer. */
export function transactionRow(texts: PageTexts, hash: string, explorer: string | undefined): Html {
  const code = html`<code class="copy hash" dir="ltr">${hash}</code>`;
  const url = explorer?.replace('{tx}', () => encodeURIComponent(hash));
  const link = html`<a href="${url ?? null}" target="_blank" rel="noopener noreferrer">${code}</a>`;
  return row(texts.transaction, url === undefined ? code : link);
}

/** A name and its value, in a list of facts. */
export function row(name: string | Html, value: Html): Html {
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
