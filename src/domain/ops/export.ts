import { HASH_OF } from '../chain/transaction-hashes.ts';
import { FAMILY_OF } from '../chain/wallets/families.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql, type Db } from '../../platform/postgres/db.ts';

/** What can be exported. */
export const EXPORT_KINDS = ['payments', 'transfers', 'ledger', 'refunds', 'sales', 'events'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** The payments whose rows are exported: those created from `from` on and before `to`; null: no bound. */
export interface ExportRange {
  readonly merchantId: string;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** A row of an export; money is text, because a number would be rounded by its reader. */
export type ExportRow = Readonly<Record<string, unknown>>;

/** A page's payments; those of events are few, because an event may have 100 kB of metadata. */
const PAGE = 500;
const PAGE_OF_EVENTS = 50;

interface PageParams {
  readonly merchantId: string;
  readonly from: Date;
  readonly to: Date;
  readonly afterTime: Date;
  readonly afterId: string;
  readonly limit: number;
}

// Index: payments_newest, backwards.
const page = sql<{ id: string; created_at: Date }, PageParams>(
  'export_page_of_payments',
  (p) => `
    SELECT id, created_at FROM payments
    WHERE merchant_id = ${p.merchantId} AND created_at >= ${p.from} AND created_at < ${p.to}
      AND (created_at, id) > (${p.afterTime}, ${p.afterId})
    ORDER BY created_at, id LIMIT ${p.limit}`,
);

type RowsOf = { row: ExportRow };
type Ids = { ids: readonly string[] };

/** The price in money of a payment, or of a refund. */
const PRICE_COLUMNS = `price->>'amount' AS price_amount, price->>'currency' AS price_currency,
        price->>'rate' AS price_rate, price->>'rated_at' AS price_rated_at, price->'sources' AS price_sources`;

// Without the token: whoever has it opens the payment's checkout page.
const payments = sql<RowsOf, Ids>(
  'export_payments',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT id, order_id, order_description, status, exceptions, sequence, pay_amount, pay_currency,
        pay_network, coin, network, address, crypto_amount, tx_hash, amount_received::text,
        amount_refunded::text, actually_paid, actually_paid_currency, customer_email, metadata, policy,
        created_at, expires_at, settled_at, cancelled_at, tx_network,
        wallet_id, deposit_index, exchange,
        settlement_mode, settlement_coin, settlement_network, settlement_amount,
        ${PRICE_COLUMNS}
      FROM payments WHERE id = ANY (${p.ids}) ORDER BY created_at, id) row`,
);
// A customer may pay on networks of several wallets: each transfer has the address and place where it came.
const transfers = sql<RowsOf, Ids>(
  'export_transfers',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT t.payment_id, t.network,
        (SELECT q.address FROM quotes q WHERE q.payment_id = t.payment_id AND q.network = t.network LIMIT 1)
          AS address,
        ${HASH_OF('t.tx_hash')} AS tx_hash, t.coin, t.amount::text, t.credit::text, t.converted::text,
        t.returned::text, t.conversion, t.sender, t.seen_at, t.block_height::text, t.block_hash,
        t.confirmed_at, t.dropped_at, t.replaced_by, t.pooled_at, t.lapsed_at,
        coalesce(f.wallet_id, p.wallet_id) AS wallet_id,
        coalesce(f.deposit_index, p.deposit_index) AS deposit_index
      FROM transfers t JOIN payments p ON p.id = t.payment_id
        LEFT JOIN further_deposits f
          ON f.payment_id = t.payment_id AND f.family = ${FAMILY_OF('t.network')}
      WHERE t.payment_id = ANY (${p.ids}) ORDER BY t.payment_id, t.place) row`,
);
const ledger = sql<RowsOf, Ids>(
  'export_ledger',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT id::text, payment_id, kind, from_account, to_account, amount::text, coin, network, created_at
      FROM ledger_entries WHERE payment_id = ANY (${p.ids}) ORDER BY payment_id, ledger_entries.id) row`,
);
const refunds = sql<RowsOf, Ids>(
  'export_refunds',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT id, payment_id, amount, currency, status, source, coin, network, coin_amount, address, tx_hash,
        reason, created_at, completed_at, ${PRICE_COLUMNS}
      FROM refunds WHERE payment_id = ANY (${p.ids}) ORDER BY payment_id, place) row`,
);
// The orders with the ids by which the exchange has them.
const sales = sql<RowsOf, Ids>(
  'export_sales',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT s.payment_id, s.number, c.coin, c.network, c.amount::text, s.status, s.reason, s.detail,
        s.is_credited, s.as_received, c.settled::text, c.kept::text, s.created_at, s.since,
        (SELECT json_agg(json_build_object('attempt', attempt, 'client_id', client_id,
          'exchange_id', exchange_id, 'pair', pair, 'volume', volume::text, 'price_limit', price_limit::text,
          'status', status, 'sold', sold::text, 'proceeds', proceeds::text, 'fee', fee::text,
          'deadline', deadline, 'ended_at', ended_at, 'error', error) ORDER BY attempt)
        FROM sale_orders o WHERE o.payment_id = s.payment_id AND o.number = s.number) AS orders
      FROM sales s JOIN conversions c USING (payment_id, number)
      WHERE s.payment_id = ANY (${p.ids}) ORDER BY s.payment_id, s.number) row`,
);
const events = sql<RowsOf, Ids>(
  'export_events',
  (p) => `
    SELECT to_json(row) AS row FROM (
      SELECT id, payment_id, sequence, type, created_at, body
      FROM events WHERE payment_id = ANY (${p.ids}) ORDER BY payment_id, sequence) row`,
);

const STATEMENTS = { payments, transfers, ledger, refunds, sales, events } satisfies Record<
  ExportKind,
  unknown
>;

const BEGIN_OF_TIME = new Date(0);
const END_OF_TIME = new Date('9999-01-01T00:00:00Z');

/** Returns the rows of a kind of the merchant's payments, oldest payment first, a page at a time. */
export async function* exportRows(
  { db }: Pick<Context, 'db'>,
  kind: ExportKind,
  { merchantId, from, to }: ExportRange,
): AsyncGenerator<ExportRow[]> {
  const limit = kind === 'events' ? PAGE_OF_EVENTS : PAGE;
  const bounds = { merchantId, from: from ?? BEGIN_OF_TIME, to: to ?? END_OF_TIME, limit };
  let after = { afterTime: BEGIN_OF_TIME, afterId: '' };
  for (;;) {
    const found = await run(db, page, { ...bounds, ...after });
    const last = found.at(-1);
    if (last === undefined) return;
    yield await rowsOf(
      db,
      kind,
      found.map(({ id }) => id),
    );
    if (found.length < limit) return;
    after = { afterTime: last.created_at, afterId: last.id };
  }
}

async function rowsOf(db: Db, kind: ExportKind, ids: readonly string[]): Promise<ExportRow[]> {
  return (await run(db, STATEMENTS[kind], { ids })).map(({ row }) => row);
}

/**
 * A row as a line of CSV (RFC 4180), or the header for the names of the columns. Text that begins like a
 * formula has an apostrophe before it.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** What a spreadsheet would run: customers and merchants write some of the text. Numbers are none. */
const IS_FORMULA = /^[=+@\t\r-](?!\d+(?:\.\d+)?$)/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  const text = IS_FORMULA.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
