import { run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { IS_STANDING, type PaymentTransfer } from '../../transfers/payment-transfer.ts';

/**
 * Transfers that one request sends back at most. Anybody may send a payment any number of them, and the
 * request reserves each: so many take it some 20 ms here, and as much of Postgres. A transaction of Bitcoin
 * that spends more is relayed by nobody.
 */
export const MOST_TRANSFERS = 1_000;

/** A transfer, or several in one coin on one network that are alike to a refund, with their sums. */
export interface TransferToRefund extends PaymentTransfer {
  readonly is_sum: boolean;
}

// What was converted or sent back as a whole, what is held as a whole, and what is no confirmed money, adds
// up: a refund asks of it what it amounts to, and whether there is any. Of several senders it says none. A
// sum stands where the oldest of it does: a part of what was settled goes back in the coin that came first.
// Index: transfers_pkey.
const transfersToRefund = sql<TransferToRefund, { paymentId: string; most: number }>(
  'transfers_to_refund',
  (p) => `
    WITH own AS (
      SELECT t.*, row_number() OVER (ORDER BY t.seen_at, t.place) AS nth, ${IS_STANDING('t')} AS is_standing,
        ${IS_STANDING('t')} AND t.confirmed_at IS NOT NULL AS is_confirmed
      FROM transfers t WHERE t.payment_id = ${p.paymentId}
    ), ranked AS (
      SELECT own.*, is_confirmed AND converted + returned < amount AS is_held, row_number() OVER (
        PARTITION BY is_confirmed AND converted + returned < amount ORDER BY credit DESC, place) AS rank
      FROM own
    ), kinds AS (
      SELECT ranked.*, CASE
          WHEN NOT is_confirmed THEN 'unconfirmed'
          WHEN is_held AND rank <= ${p.most} THEN 'alone'
          WHEN converted >= amount THEN 'converted'
          WHEN returned >= amount THEN 'returned'
          WHEN converted = 0 AND returned = 0 THEN 'held'
          ELSE 'alone'
        END AS kind
      FROM ranked
    )
    SELECT k.payment_id, k.network, k.coin, min(k.tx_hash) AS tx_hash, sum(k.amount) AS amount,
      sum(k.credit) AS credit, sum(k.locked_amount) AS locked_amount, sum(k.locked_credit) AS locked_credit,
      sum(k.converted) AS converted, sum(k.returned) AS returned, max(k.conversion) AS conversion,
      CASE WHEN min(k.sender) = max(k.sender) AND count(k.sender) = count(*) THEN min(k.sender) END AS sender,
      max(k.seen_at) AS seen_at, max(k.confirmed_at) AS confirmed_at, max(k.dropped_at) AS dropped_at,
      max(k.pooled_at) AS pooled_at, max(k.lapsed_at) AS lapsed_at, max(k.block_height) AS block_height,
      max(k.block_hash) AS block_hash, max(k.finality) AS finality, 0 AS confirmations, p.pay_currency,
      p.pay_network, k.kind <> 'alone' AS is_sum
    FROM kinds k JOIN payments p ON p.id = k.payment_id
    GROUP BY k.payment_id, p.pay_currency, p.pay_network, k.network, k.coin, k.kind, k.is_standing,
      k.conversion IS NULL, CASE WHEN k.kind = 'alone' THEN k.tx_hash END
    ORDER BY min(k.nth)`,
);

/**
 * Returns what a refund needs to know of the transfers of a payment, oldest first: those that hold most, by
 * their credit, one by one, at most `MOST_TRANSFERS`, and the others in sums.
 */
export async function readTransfersToRefund(
  connection: Connection,
  paymentId: string,
): Promise<TransferToRefund[]> {
  return run(connection, transfersToRefund, { paymentId, most: MOST_TRANSFERS });
}
