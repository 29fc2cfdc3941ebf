import type { Payment } from '../../payments/lifecycle/payment.ts';
import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { Mode } from '../../../platform/endpoint.ts';

/** A payment as its page needs it. `confirmations` are those of this moment: the row's own only move when there is news of a transfer. */
export interface CheckoutPayment extends Payment {
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  /** Until when `crypto_amount` holds; null: for as long as the payment does. */
  readonly locked_until: Date | null;
  /** Opaque, of header-safe characters: another one whenever the page has something else to show, time alone excepted. */
  readonly version: string;
}

/**
 * The one way in which a page's payment is read, so that page, status and stream agree on what a version is.
 *
 * Depth is counted on reading: "3 of 12" moves with every block, and a write per payment and block would be the dearest thing that
 * the service does. Only money that was seen in full and waits for blocks is looked up; `confirmations` stands behind `p.*`, and the
 * last column of a name wins. Times are in seconds since 1970, because their text depends on the session.
 */
const PAGES = `
  SELECT p.*, m.name AS merchant_name, m.mode AS merchant_mode, q.locked_until, depth.confirmations, shown.version
  FROM payments p JOIN merchants m ON m.id = p.merchant_id
    LEFT JOIN quotes q ON q.payment_id = p.id AND q.coin = p.coin AND q.network = p.network
    CROSS JOIN LATERAL (
      SELECT coalesce(min(coalesce(greatest(0, c.head - t.block_height + 1), 0))::int, p.confirmations) AS confirmations
      FROM transfers t LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
      WHERE p.fully_funded AND t.payment_id = p.id AND t.confirmed_at IS NULL AND t.dropped_at IS NULL
    ) depth
    CROSS JOIN LATERAL (
      SELECT left(encode(sha256(convert_to(ROW(
        p.sequence, p.status, p.exceptions, depth.confirmations, p.fully_funded, p.amount_received, p.amount_refunded,
        p.coin, p.network, p.address, p.crypto_amount, extract(epoch FROM q.locked_until), extract(epoch FROM p.deadline_at),
        p.refund_address, p.test_clock, p.clock_offset_ms
      )::text, 'UTF8')), 'hex'), 24) AS version
    ) shown`;

const paymentByToken = sql<CheckoutPayment>('payment_by_token', `${PAGES} WHERE p.token_id = $1`);

/** The payment that a checkout token opens; null when there is none. */
export async function findByToken(connection: Connection, token: string): Promise<CheckoutPayment | null> {
  return /^[\w-]{16,64}$/.test(token) ? runOne(connection, paymentByToken, [token]) : null;
}

const changedPages = sql<CheckoutPayment>(
  'changed_pages',
  `SELECT now.* FROM unnest($1::text[], $2::text[]) AS page (id, version)
     CROSS JOIN LATERAL (${PAGES} WHERE p.id = page.id OFFSET 0) now
   WHERE now.version IS DISTINCT FROM page.version`,
);

/** What is shown of a payment somewhere; null: not known. */
export interface ShownVersion {
  readonly id: string;
  readonly version: string | null;
}

/**
 * Of the payments that are shown, those that have another version by now, in no particular order: one statement, however many.
 *
 * It compares what is shown with what is true, instead of following the table of events. So it sees as well what makes no event (a
 * block on top, a coin chosen in another tab, a price quoted anew), needs no horizon of open transactions, loses nothing while a
 * process was away, and costs what the open pages cost, not what all the traffic of the service does: 88 ms of one Postgres process
 * for 5,000 of 50,000 payments, a fifth of them confirming. OFFSET 0 keeps Postgres to keys: it would rather read half the table.
 */
export async function findChanged(
  connection: Connection,
  shown: readonly ShownVersion[],
): Promise<CheckoutPayment[]> {
  return run(connection, changedPages, [shown.map(({ id }) => id), shown.map(({ version }) => version)]);
}
