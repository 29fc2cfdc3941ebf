import type { NetworkId } from '../../../chain/networks.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';
import { REFUND_COLUMNS, type Refund, type RefundProblem } from '../store.ts';
import { IS_AWAITED, IS_SENT, type RefundStatus } from '../states.ts';
import { CAME_AFTER } from './candidates.ts';
import { ERASED_ADDRESS, IS_STANDING_PAYOUT } from './payout-transfers.ts';

interface Naming {
  readonly id: string;
  readonly txHash: string;
  /** By the merchant; else the watcher found it. */
  readonly isAnnounced: boolean;
  readonly now: Date;
}

// The same transaction again is no new one: since when it is named decides who named it first.
const nameRefund = sql<Refund, Naming>(
  'name_transaction_of_refund',
  (p) => `
    UPDATE refunds r SET status = 'SENT', tx_hash = ${p.txHash}, is_announced = ${p.isAnnounced},
      named_at = CASE WHEN tx_hash = ${p.txHash} THEN named_at ELSE ${p.now} END,
      checked_at = CASE WHEN tx_hash = ${p.txHash} THEN checked_at END, problem = NULL,
      wallet_asked_at = NULL, wallet_asked_by = NULL
    WHERE id = ${p.id} AND ${IS_AWAITED('r')}
    RETURNING ${REFUND_COLUMNS}`,
);

/** Names the transaction that a refund waits for from now on. Returns null where it waits for none. */
export async function nameTransaction(tx: Tx, naming: Naming): Promise<Refund | null> {
  return runOne(tx, nameRefund, naming);
}

interface Judgement {
  readonly id: string;
  /** The transaction that it named when it was judged. */
  readonly was: string | null;
  readonly status: RefundStatus;
  readonly txHash: string | null;
  /** As JSON. */
  readonly problem: string | null;
}

const judgeRefund = sql<never, Judgement>(
  'judge_refund',
  (p) => `
    UPDATE refunds r SET status = ${p.status}, tx_hash = ${p.txHash}, problem = ${p.problem}::jsonb,
      named_at = CASE WHEN ${p.txHash}::text IS NOT NULL THEN named_at END,
      is_announced = is_announced AND ${p.txHash}::text IS NOT NULL, checked_at = NULL
    WHERE id = ${p.id} AND ${IS_AWAITED('r')} AND tx_hash IS NOT DISTINCT FROM ${p.was}`,
);

/** Takes a refund back to the merchant; a problem says why. */
export async function takeBack(
  connection: Connection,
  { id, tx_hash: was }: Pick<Refund, 'id' | 'tx_hash'>,
  problem: RefundProblem | null,
): Promise<void> {
  await judge(connection, { id, was, status: 'AWAITING_SIGNATURE', txHash: null, problem });
}

/** Holds a refund for a person; `txHash`: the transaction that it still waits for. */
export async function hold(
  connection: Connection,
  { id, tx_hash: was }: Pick<Refund, 'id' | 'tx_hash'>,
  problem: RefundProblem,
  txHash: string | null = null,
): Promise<void> {
  await judge(connection, { id, was, status: 'HELD', txHash, problem });
}

async function judge(
  connection: Connection,
  { problem, ...judgement }: Omit<Judgement, 'problem'> & { readonly problem: RefundProblem | null },
): Promise<void> {
  const json = problem === null ? null : JSON.stringify(problem);
  await run(connection, judgeRefund, { ...judgement, problem: json });
}

/** A refund that names a transaction which is in no block, or of which more is to be known. */
export interface NamedRefund extends Refund {
  readonly tx_hash: string;
  readonly address: string;
  readonly named_at: Date;
  readonly is_announced: boolean;
  readonly is_dropped: boolean;
  /** Its transfer has completed another refund: whether that is of the same merchant; null: it has not. */
  readonly is_used_by_same: boolean | null;
}

interface Due {
  readonly network: NetworkId;
  readonly now: Date;
  readonly limit: number;
}

// The older what is named, the rarer it is looked at. Index: refunds_sent.
const dueNamed = sql<NamedRefund, Due>(
  'named_refunds_to_judge',
  (p) => `
    SELECT r.id, r.payment_id, r.amount, r.currency, r.source, r.coin, r.network, r.coin_amount, r.reason,
      r.address, r.status, r.tx_hash, r.created_at, r.problem, r.offered_at, r.price,
      r.named_at, r.is_announced, coalesce(t.dropped_at IS NOT NULL, false) AS is_dropped,
      used.is_used_by_same
    FROM refunds r JOIN payments p ON p.id = r.payment_id
      LEFT JOIN payout_transfers t ON t.network = r.network AND t.tx_hash = r.tx_hash AND t.coin = r.coin
        AND t.amount = r.coin_amount::numeric
        AND lower(t.address) IN (lower(r.address), ${ERASED_ADDRESS('r.tx_hash', 'r.address')})
      LEFT JOIN LATERAL (
        SELECT o.merchant_id = p.merchant_id AS is_used_by_same
        FROM refunds other JOIN payments o ON o.id = other.payment_id WHERE other.id = t.refund_id
      ) used ON true
    WHERE r.network = ${p.network} AND ${IS_SENT('r')}
      AND (t.tx_hash IS NOT NULL AND ${IS_STANDING_PAYOUT('t')} AND ${CAME_AFTER('t', 'r')}) IS NOT TRUE
      AND (r.checked_at <= ${p.now}::timestamptz
        - greatest(interval '5 s', (${p.now}::timestamptz - r.named_at) / 4)) IS NOT FALSE
    ORDER BY r.checked_at NULLS FIRST, r.place LIMIT ${p.limit}`,
);

/** Returns some of the refunds whose transaction is to be looked at, the longest unseen first. */
export async function readDueNamed(connection: Connection, due: Due): Promise<NamedRefund[]> {
  return run(connection, dueNamed, due);
}

const noteChecked = sql<never, { id: string; now: Date }>(
  'note_checked_refund',
  (p) => `UPDATE refunds SET checked_at = ${p.now} WHERE id = ${p.id}`,
);

/** Records that the transaction of a refund was looked at. */
export async function markChecked(connection: Connection, id: string, now: Date): Promise<void> {
  await run(connection, noteChecked, { id, now });
}
