import { LIVE_CHAIN_KEY } from '../../../chain/chain-key.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';
import { FITS, IS_STANDING_PAYOUT } from '../by-merchant/payout-transfers.ts';
import { IS_UNSIGNED } from '../states.ts';
import type { Refund } from '../store.ts';

/** A refund whose PSBT is to be made, or looked at. */
export interface DueRefund extends Pick<Refund, 'id' | 'payment_id' | 'coin_amount'> {
  readonly address: string;
  readonly merchant_id: string;
  readonly wallet_id: string;
  /** What the PSBT pays; null: there is none. */
  readonly pays: string | null;
  readonly made_at: Date | null;
  /** Bigints, thus strings. */
  readonly spent_height: string | null;
  readonly final_height: string;
}

/** SQL: the wallet of Bitcoin at which money of the payment `p` arrives. */
const WALLET = `(
  SELECT w.id FROM wallets w
  WHERE w.family = 'bitcoin' AND w.id IN (p.wallet_id,
    (SELECT f.wallet_id FROM further_deposits f WHERE f.payment_id = p.id AND f.family = 'bitcoin')))`;

// Index: refunds_awaited.
const dueRefunds = sql<DueRefund, { now: Date; limit: number }>(
  'refunds_due_for_psbt',
  (p) => `
    SELECT r.id, r.payment_id, r.coin_amount, r.address, p.merchant_id, w.wallet_id, b.address AS pays,
      b.made_at, b.spent_height, c.final_height
    FROM refunds r JOIN payments p ON p.id = r.payment_id
      CROSS JOIN LATERAL (SELECT ${WALLET} AS wallet_id) w
      JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('r.network')} AND c.halted_at IS NULL
        AND c.final_height IS NOT NULL
      LEFT JOIN refund_psbts b ON b.refund_id = r.id
    WHERE r.network = 'bitcoin' AND ${IS_UNSIGNED('r')} AND r.offered_at IS NULL AND w.wallet_id IS NOT NULL
      AND (b.due_at IS NULL OR b.due_at <= ${p.now} OR b.address <> r.address)
    ORDER BY b.due_at NULLS FIRST, r.place LIMIT ${p.limit}`,
);

/** Returns refunds whose PSBT is due, those without one first. */
export async function readDueForPsbt(connection: Connection, now: Date, limit: number): Promise<DueRefund[]> {
  return run(connection, dueRefunds, { now, limit });
}

const stillDue = sql<{ is_due: boolean }, { id: string; address: string }>(
  'is_refund_due_for_psbt',
  (p) => `
    SELECT ${IS_UNSIGNED('r')} AND r.offered_at IS NULL AND r.address = ${p.address} AND NOT EXISTS (
      SELECT FROM payout_transfers t WHERE ${FITS('r', 't')} AND ${IS_STANDING_PAYOUT('t')}) AS is_due
    FROM refunds r WHERE r.id = ${p.id}`,
);

/**
 * True while a refund waits for a signature, and is not paid by what was read of the chain. The caller has
 * locked its payment.
 */
export async function isStillDue(tx: Tx, { id, address }: Pick<DueRefund, 'id' | 'address'>) {
  return (await runOne(tx, stillDue, { id, address }))?.is_due ?? false;
}
