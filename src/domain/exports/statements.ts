import { HASH_OF } from '../chain/transaction-hashes.ts';
import { FAMILY_OF } from '../chain/wallets/families.ts';
import { run, sql, type Connection, type Placeholders } from '../../platform/postgres/db.ts';
import type { ExportFilter } from './found.ts';
import { worthColumns, worthJoin, type Worth } from './worth.ts';

/** What can be exported. */
export const EXPORT_KINDS = ['payments', 'transfers', 'ledger', 'refunds', 'sales', 'events'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Some payments, and the row behind which one of them goes on. */
export interface Some {
  readonly ids: readonly string[];
  readonly afterId: string;
  readonly afterPlace: string;
  /** Rows, at most. */
  readonly limit: number;
}

/** Those that were asked for; absent: all. A payment may move on between the search for it and its row. */
type Statuses = Pick<ExportFilter, 'statuses'>;

/** A row as JSON, money as text: a number would be rounded by its reader. */
export interface JsonRow {
  readonly row: string;
  /** Its place: the payment, a dot, and a number. */
  readonly cursor: string;
}

/** SQL: a time as the API writes it. */
const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const times = (...columns: readonly string[]) =>
  columns.map((column) => `${time(column)} AS ${column.replace(/^\w\./, '')}`).join(', ');

/** SQL: the place of a row among all rows of its kind; `place` orders those of a payment. */
const cursor = (id: string, place: string) => `${id} || '.' || ${place} AS cursor`;

/**
 * SQL: the next rows of a table, those of each payment in their order: what is joined to them is read for
 * these alone. `n` is the place of the payment among all.
 */
const nextOf = (p: Placeholders<Some>, table: string, place: string) => `(
        SELECT own.*, asked.n FROM unnest(${p.ids}::text[]) WITH ORDINALITY asked (id, n)
          CROSS JOIN LATERAL (
            SELECT * FROM ${table} WHERE payment_id = asked.id
              AND (asked.id <> ${p.afterId} OR ${place} > ${p.afterPlace}::bigint)
            ORDER BY ${place} LIMIT ${p.limit}
          ) own
        ORDER BY asked.n, own.${place} LIMIT ${p.limit})`;

/** The price in money of a payment, or of a refund. */
const PRICE_COLUMNS = `price->>'amount' AS price_amount, price->>'currency' AS price_currency,
        price->>'rate' AS price_rate, price->>'rated_at' AS price_rated_at,
        price->'sources' AS price_sources`;

// Without the token: whoever has it opens the payment's checkout page.
const payments = sql<JsonRow, Pick<Some, 'ids' | 'afterId'> & Statuses & Worth>(
  'export_payments',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT asked.id, order_id, order_description, status, exceptions, sequence, pay_amount, pay_currency,
        pay_network, coin, network, address, crypto_amount, tx_hash, amount_received::text,
        amount_refunded::text, actually_paid, actually_paid_currency, customer_email, metadata, policy,
        ${times('created_at', 'expires_at', 'settled_at', 'cancelled_at')}, tx_network,
        wallet_id, deposit_index, exchange,
        settlement_mode, settlement_coin, settlement_network, settlement_amount,
        ${PRICE_COLUMNS}, ${worthColumns(p, { amount: 'pay_amount', price: 'price' })},
        ${cursor('asked.id', '0')}
      FROM unnest(${p.ids}::text[]) WITH ORDINALITY asked (id, n) JOIN payments p USING (id)
        ${worthJoin(p, { coin: 'pay_currency', at: 'created_at' })}
      WHERE asked.id <> ${p.afterId} AND (${p.statuses}::text[] IS NULL OR p.status = ANY(${p.statuses}))
      ORDER BY n) row`,
);
// A customer may pay on networks of several wallets: each transfer has the address and place where it came.
const transfers = sql<JsonRow, Some & Worth>(
  'export_transfers',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT t.payment_id, t.network,
        (SELECT q.address FROM quotes q WHERE q.payment_id = t.payment_id AND q.network = t.network LIMIT 1)
          AS address,
        ${HASH_OF('t.tx_hash')} AS tx_hash, t.coin, t.amount::text, t.credit::text, t.converted::text,
        t.returned::text, t.conversion, t.sender, ${times('t.seen_at')}, t.block_height::text, t.block_hash,
        ${times('t.confirmed_at', 't.dropped_at')}, t.replaced_by, ${times('t.pooled_at', 't.lapsed_at')},
        coalesce(f.wallet_id, p.wallet_id) AS wallet_id,
        coalesce(f.deposit_index, p.deposit_index) AS deposit_index,
        ${worthColumns(p, { amount: 't.amount' })}, ${cursor('t.payment_id', 't.place')}
      FROM ${nextOf(p, 'transfers', 'place')} t JOIN payments p ON p.id = t.payment_id
        LEFT JOIN further_deposits f
          ON f.payment_id = t.payment_id AND f.family = ${FAMILY_OF('t.network')}
        ${worthJoin(p, { coin: 't.coin', at: 't.seen_at' })}
      ORDER BY t.n, t.place) row`,
);
const ledger = sql<JsonRow, Some & Worth>(
  'export_ledger',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT e.id::text, e.payment_id, e.kind, e.from_account, e.to_account, e.amount::text, e.coin,
        e.network, ${times('e.created_at')}, ${worthColumns(p, { amount: 'e.amount' })},
        ${cursor('e.payment_id', 'e.id')}
      FROM ${nextOf(p, 'ledger_entries', 'id')} e
        ${worthJoin(p, { coin: 'e.coin', at: 'e.created_at' })}
      ORDER BY e.n, e.id) row`,
);
const refunds = sql<JsonRow, Some & Worth>(
  'export_refunds',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT r.id, r.payment_id, r.amount, r.currency, r.status, r.source, r.coin, r.network, r.coin_amount,
        r.address, r.tx_hash, r.reason, ${times('r.created_at', 'r.completed_at')}, ${PRICE_COLUMNS},
        ${worthColumns(p, { amount: 'r.amount', price: 'r.price' })}, ${cursor('r.payment_id', 'r.place')}
      FROM ${nextOf(p, 'refunds', 'place')} r
        ${worthJoin(p, { coin: 'r.currency', at: 'r.created_at' })}
      ORDER BY r.n, r.place) row`,
);
// The orders with the ids by which the exchange has them.
const sales = sql<JsonRow, Some>(
  'export_sales',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT s.payment_id, s.number, c.coin, c.network, c.amount::text, s.status, s.reason, s.detail,
        s.is_credited, s.as_received, c.settled::text, c.kept::text, ${times('s.created_at', 's.since')},
        (SELECT json_agg(json_build_object('attempt', attempt, 'client_id', client_id,
          'exchange_id', exchange_id, 'pair', pair, 'volume', volume::text, 'price_limit', price_limit::text,
          'status', status, 'sold', sold::text, 'proceeds', proceeds::text, 'fee', fee::text,
          'deadline', deadline, 'ended_at', ended_at, 'error', error) ORDER BY attempt)
        FROM sale_orders o WHERE o.payment_id = s.payment_id AND o.number = s.number) AS orders,
        ${cursor('s.payment_id', 's.number')}
      FROM ${nextOf(p, 'sales', 'number')} s JOIN conversions c USING (payment_id, number)
      ORDER BY s.n, s.number) row`,
);
const events = sql<JsonRow, Some>(
  'export_events',
  (p) => `
    SELECT to_json(row)::text AS row, row.cursor FROM (
      SELECT e.id, e.payment_id, e.sequence, e.type, ${times('e.created_at')}, e.body,
        ${cursor('e.payment_id', 'e.sequence')}
      FROM ${nextOf(p, 'events', 'sequence')} e
      ORDER BY e.n, e.sequence) row`,
);

type Read = (connection: Connection, values: Some & Statuses & Worth) => Promise<JsonRow[]>;

/** Reads the rows of each kind of some payments, in the order of the payments. */
export const READ: Readonly<Record<ExportKind, Read>> = {
  payments: (connection, values) => run(connection, payments, values),
  transfers: (connection, values) => run(connection, transfers, values),
  ledger: (connection, values) => run(connection, ledger, values),
  refunds: (connection, values) => run(connection, refunds, values),
  sales: (connection, values) => run(connection, sales, values),
  events: (connection, values) => run(connection, events, values),
};
