import type { Payment } from '../../payments/lifecycle/payment.ts';
import type { StoredQuote } from '../../payments/pricing/quote.ts';
import { IS_STANDING } from '../../payments/transfers/payment-transfer.ts';
import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import type { CoinId } from '../../chain/coins.ts';
import { HASH_OF } from '../../chain/transaction-hashes.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { recordset, run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { isToken } from '../../../platform/values/cells.ts';
import type { Mode } from '../../api/endpoint.ts';
import { STORED_APPEARANCE, type StoredAppearance } from './appearance.ts';
import { ACCEPTED_METHODS, type Settling } from './offer.ts';
import { IS_OPEN, IS_UNDERWAY, NEEDS_ADDRESS, type RefundStatus } from '../../payments/refunds/states.ts';

/**
 * A payment as its page needs it. `confirmations` are current; the payment's row keeps those of the last
 * change of a transfer.
 */
export interface CheckoutPayment extends Payment, Pick<Settling, 'accepted_methods'> {
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  /** What the merchant has chosen for their pages; null: nothing. */
  readonly appearance: StoredAppearance | null;
  /** Until when `crypto_amount` holds; null: for as long as the payment does. */
  readonly locked_until: Date | null;
  /** The quote in the payment's coin. */
  readonly quote: StoredQuote;
  /** What the quote before that one asked for the same; null: it is the first. */
  readonly asked_before: string | null;
  /** What goes back, or may, next: its coin and network, and whether a refund waits for an address. */
  readonly refund_coin: CoinId;
  readonly refund_network: NetworkId;
  readonly needs_address: boolean;
  /** How much of that coin on that network waits for an address, or came; null: neither. */
  readonly refund_amount: string | null;
  /** In pay_currency: what goes back by refunds that have an address, and are not completed yet. */
  readonly amount_underway: string;
  /** The customer's address for refunds on `refund_network`; null: they have not entered one. */
  readonly refund_address: string | null;
  /** The transaction that the customer's wallet has sent, until its chain reports it; null: none. */
  readonly sent_hash: string | null;
  readonly sent_network: NetworkId | null;
  readonly is_sent_lost: true | null;
  /** What stands of the transfers to it, first to last, at most `MAX_SHOWN`. */
  readonly transfers: readonly ShownTransfer[];
  /** Those that wait for an address first, then those that are not paid out; at most `MAX_SHOWN`. */
  readonly refunds: readonly ShownRefund[];
  /**
   * Opaque, header-safe characters. It changes whenever the page has something else to show, unless only time
   * has passed.
   */
  readonly version: string;
}

/** A transfer as the page shows it. */
export interface ShownTransfer {
  /** Null: no transaction is known. */
  readonly tx_hash: string | null;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  /** Milliseconds since 1970. */
  readonly seen_at: number;
}

/** A refund as the page shows it. */
export interface ShownRefund {
  readonly status: RefundStatus;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  /** Null: it waits for one, or personal data were erased. */
  readonly address: string | null;
  readonly tx_hash: string | null;
  /** Milliseconds since 1970; null: it is not paid out. */
  readonly completed_at: number | null;
}

/** Of more of them the rest is to be had from the merchant. */
export const MAX_SHOWN = 5;

/** Read for payments that are rendered, and not for those that are only compared. */
const DETAILS = `(
  SELECT coalesce(json_agg(json_build_object(
    'tx_hash', ${HASH_OF('t.tx_hash')}, 'coin', t.coin, 'network', t.network, 'amount', t.amount::text,
    'seen_at', floor(extract(epoch FROM t.seen_at) * 1000)) ORDER BY t.place), '[]')
  FROM (
    SELECT * FROM transfers
    WHERE payment_id = now.id AND ${IS_STANDING('transfers')} ORDER BY place LIMIT ${MAX_SHOWN}
  ) t
) AS transfers, (
  SELECT coalesce(json_agg(json_build_object(
    'status', r.status, 'coin', r.coin, 'network', r.network, 'amount', r.coin_amount, 'address', r.address,
    'tx_hash', r.tx_hash, 'completed_at', floor(extract(epoch FROM r.completed_at) * 1000))), '[]')
  FROM (
    SELECT * FROM refunds r WHERE payment_id = now.id
    ORDER BY NOT ${NEEDS_ADDRESS('r')}, NOT ${IS_OPEN('r')}, place DESC LIMIT ${MAX_SHOWN}
  ) r
) AS refunds`;

/**
 * The one way to read a page's payment: page, status and stream agree on its version.
 *
 * Confirmations are counted on reading: "3 of 12" changes with every block, and a write per payment and block
 * would be the most expensive thing that the service does. Only a fully funded payment that waits for blocks
 * reads its transfers. `confirmations` stands behind `p.*`: pg keeps the last column of a name. Times are
 * seconds since 1970, because their text depends on the session.
 */
const CHECKOUT_PAYMENTS = `
  SELECT p.*, m.name AS merchant_name, m.mode AS merchant_mode, offer.accepted_methods, q.locked_until,
    q.asked_before::text, ${STORED_APPEARANCE} AS appearance,
    json_build_object('asks', q.asks::text, 'covers', q.covers::text, 'rate', q.rate) AS quote,
    back.refund_coin, back.refund_network, back.needs_address, back.refund_amount::text, a.address AS refund_address,
    back.amount_underway::text, sent.tx_hash AS sent_hash, sent.network AS sent_network,
    lost.is_lost AS is_sent_lost, depth.confirmations, shown.version
  FROM payments p
    JOIN merchants m ON m.id = p.merchant_id
    LEFT JOIN merchant_faces f ON f.merchant_id = m.id
    CROSS JOIN LATERAL (SELECT ${ACCEPTED_METHODS('p', 'm')} AS accepted_methods) offer
    LEFT JOIN announced_transactions sent ON sent.payment_id = p.id AND NOT EXISTS (
      SELECT FROM transfers t WHERE t.payment_id = p.id AND t.network = sent.network AND t.tx_hash = sent.tx_hash
    )
    LEFT JOIN awaited_transactions lost ON lost.payment_id = p.id AND lost.tx_hash = sent.tx_hash AND lost.is_lost
    LEFT JOIN quotes q ON q.payment_id = p.id AND q.coin = p.coin AND q.network = p.network
    CROSS JOIN LATERAL (
      SELECT coalesce(max(greatest(0, c.head - t.block_height + 1))::int, p.confirmations) AS confirmations
      FROM transfers t LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
      WHERE p.fully_funded AND t.payment_id = p.id AND t.network = coalesce(p.tx_network, p.network)
        AND ${HASH_OF('t.tx_hash')} IS NOT DISTINCT FROM p.tx_hash AND t.confirmed_at IS NULL AND ${IS_STANDING('t')}
    ) depth
    CROSS JOIN LATERAL (
      SELECT coin AS refund_coin, network AS refund_network, rank = 1 AS needs_address,
        sum(coins) OVER (PARTITION BY rank, coin, network) AS refund_amount,
        coalesce(sum(underway) OVER (), 0) AS amount_underway, sum(hashtext(refund)) OVER () AS refunds_digest
      FROM (
        SELECT r.coin, r.network, CASE WHEN ${NEEDS_ADDRESS('r')} THEN 1 ELSE 4 END AS rank, r.place,
          r.coin_amount::numeric AS coins, CASE WHEN ${IS_UNDERWAY('r')} THEN r.amount::numeric END AS underway,
          ROW(r.id, r.status, r.tx_hash)::text AS refund
        FROM refunds r WHERE r.payment_id = p.id AND (${NEEDS_ADDRESS('r')} OR ${IS_UNDERWAY('r')})
        UNION ALL
        SELECT t.coin, t.network, 2, -t.place, t.amount - t.converted - t.returned, NULL, NULL FROM transfers t
        WHERE t.payment_id = p.id AND p.settled_at IS NULL AND p.amount_received > 0
          AND ${IS_STANDING('t')} AND t.amount > t.converted + t.returned
        UNION ALL
        SELECT coalesce(p.settlement_coin, p.pay_currency), coalesce(p.settlement_network, p.pay_network),
          3, 0, NULL, NULL, NULL
      ) AS candidates
      ORDER BY rank, place LIMIT 1
    ) back
    LEFT JOIN refund_addresses a ON a.payment_id = p.id AND a.network = back.refund_network
    CROSS JOIN LATERAL (
      SELECT left(encode(sha256(convert_to(ROW(
        p.sequence, p.status, p.exceptions, depth.confirmations, p.fully_funded, p.amount_received,
        p.amount_refunded, p.tx_hash, p.coin, p.network, p.address, p.crypto_amount, q.asks, q.covers, q.rate,
        extract(epoch FROM q.locked_until), extract(epoch FROM p.deadline_at), back.*, a.address,
        p.test_clock, p.clock_offset_ms, extract(epoch FROM f.updated_at), offer.accepted_methods,
        sent.network, sent.tx_hash, lost.is_lost
      )::text, 'UTF8')), 'hex'), 24) AS version
    ) shown`;

const paymentByToken = sql<CheckoutPayment, { token: string }>(
  'payment_by_token',
  (p) => `SELECT now.*, ${DETAILS} FROM (${CHECKOUT_PAYMENTS} WHERE p.token_id = ${p.token} OFFSET 0) now`,
);

/** The payment that a checkout token opens; null when there is none. */
export async function findByToken(connection: Connection, token: string): Promise<CheckoutPayment | null> {
  return isToken(token) ? runOne(connection, paymentByToken, { token }) : null;
}

// OFFSET 0 keeps Postgres to the primary keys: else it may read half of each table.
const changedPages = sql<CheckoutPayment, { pages: string }>(
  'changed_pages',
  (p) => `
  SELECT now.*, ${DETAILS}
  FROM json_to_recordset(${p.pages}::json) AS page (id text, version text)
    CROSS JOIN LATERAL (${CHECKOUT_PAYMENTS} WHERE p.id = page.id OFFSET 0) now
  WHERE now.version IS DISTINCT FROM page.version`,
);

/** The version of a payment that open pages show; null: unknown. */
export interface ShownVersion {
  readonly id: string;
  readonly version: string | null;
}

/**
 * Those of the shown payments that have another version now, in no particular order: one statement for all.
 *
 * It compares what is shown with what is true, instead of following the table of events. So it also finds
 * what makes no event (a new block, a payment method selected in another tab, a requote), needs no horizon of
 * open transactions, and loses nothing while a process was away. It costs what the open pages cost, not what
 * all traffic does: 88 ms of one Postgres process for 5,000 of 50,000 payments, a fifth of them confirming.
 */
export async function findChanged(
  connection: Connection,
  shown: readonly ShownVersion[],
): Promise<CheckoutPayment[]> {
  return run(connection, changedPages, { pages: recordset(shown) });
}
