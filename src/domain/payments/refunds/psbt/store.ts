import { run, runOne, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';
import { IS_COMPLETED, IS_UNSIGNED } from '../states.ts';
import { replaceCoins, type TakenCoin } from './coins.ts';

/** Why there is no PSBT. */
export interface PsbtProblem {
  readonly code: string;
  readonly message: string;
}

/** What is known of a refund's PSBT. */
export interface PsbtState {
  readonly refund_id: string;
  readonly wallet_id: string;
  readonly account: string | null;
  readonly change_index: number | null;
  /** It pays the address that the refund has. */
  readonly psbt: Buffer | null;
  readonly problem: PsbtProblem | null;
  readonly made_at: Date | null;
  readonly due_at: Date;
}

// An index is kept: what was made before may have been signed.
const storePsbt = sql<never, Omit<PsbtState, 'problem'> & { problem: string | null }>(
  'store_refund_psbt',
  (p) => `
    INSERT INTO refund_psbts AS b
      (refund_id, wallet_id, account, change_index, address, psbt, problem, made_at, due_at)
    VALUES (${p.refund_id}, ${p.wallet_id}, ${p.account}, ${p.change_index},
      (SELECT address FROM refunds WHERE id = ${p.refund_id} AND ${p.psbt}::bytea IS NOT NULL),
      ${p.psbt}, ${p.problem}::jsonb, ${p.made_at}, ${p.due_at})
    ON CONFLICT (refund_id) DO UPDATE SET
      account = excluded.account, address = excluded.address,
      change_index = coalesce(excluded.change_index, b.change_index),
      psbt = excluded.psbt, problem = excluded.problem, made_at = excluded.made_at, due_at = excluded.due_at,
      spent_height = NULL`,
);

/**
 * Stores the PSBT of a refund, or why there is none, and the coins that it spends in place of earlier ones.
 * The payment is locked.
 */
export async function storeRequest(tx: Tx, state: PsbtState, coins: readonly TakenCoin[]): Promise<void> {
  const problem = state.problem === null ? null : JSON.stringify(state.problem);
  await run(tx, storePsbt, { ...state, problem });
  await replaceCoins(tx, state.refund_id, coins);
}

interface Look {
  readonly id: string;
  readonly walletId: string;
  readonly problem: PsbtProblem | null;
  readonly spentHeight: number | null;
  readonly dueAt: Date;
}

// There is none yet of a refund in the place of a withdrawn one, whose coins are spent.
const noteLook = sql<never, Omit<Look, 'problem'> & { problem: string | null }>(
  'note_look_at_psbt',
  (p) => `
    INSERT INTO refund_psbts AS b (refund_id, wallet_id, problem, spent_height, due_at)
    SELECT id, ${p.walletId}::text, ${p.problem}::jsonb, ${p.spentHeight}::bigint, ${p.dueAt}::timestamptz
    FROM refunds WHERE id = ${p.id}
    ON CONFLICT (refund_id) DO UPDATE SET problem = excluded.problem, spent_height = excluded.spent_height,
      due_at = excluded.due_at
      WHERE b.due_at IS NOT NULL`,
);

/** Records what a look at the coins of a PSBT has found. */
export async function noteLookAt(connection: Connection, { problem, ...look }: Look): Promise<void> {
  await run(connection, noteLook, { ...look, problem: problem === null ? null : JSON.stringify(problem) });
}

interface Delay {
  readonly id: string;
  readonly walletId: string;
  readonly problem: PsbtProblem;
  readonly dueAt: Date;
}

// What is known of one stays known.
const delay = sql<never, Omit<Delay, 'problem'> & { problem: string }>(
  'delay_refund_psbt',
  (p) => `
    INSERT INTO refund_psbts AS b (refund_id, wallet_id, problem, due_at)
    VALUES (${p.id}, ${p.walletId}, ${p.problem}::jsonb, ${p.dueAt})
    ON CONFLICT (refund_id) DO UPDATE SET due_at = excluded.due_at`,
);

/** Records that a refund is looked at later; a problem is said where nothing is known. */
export async function storeDelay(connection: Connection, { problem, ...rest }: Delay): Promise<void> {
  await run(connection, delay, { ...rest, problem: JSON.stringify(problem) });
}

/** The PSBT of a refund that is completed. */
export interface EndedPsbt {
  readonly refund_id: string;
  readonly wallet_id: string;
  readonly change_index: number | null;
  readonly tx_hash: string;
}

// Index: refund_psbts_open.
const endedPsbts = sql<EndedPsbt, { limit: number }>(
  'psbts_of_completed_refunds',
  (p) => `
    SELECT b.refund_id, b.wallet_id, b.change_index, r.tx_hash
    FROM refund_psbts b JOIN refunds r ON r.id = b.refund_id
    WHERE b.due_at IS NOT NULL AND ${IS_COMPLETED('r')} LIMIT ${p.limit}`,
);

/** Returns some PSBTs of refunds that are completed, whose coins are not released yet. */
export async function readEndedPsbts(connection: Connection, limit: number): Promise<EndedPsbt[]> {
  return run(connection, endedPsbts, { limit });
}

const keepIndex = sql<never, { id: string }>(
  'keep_change_index',
  (p) => `
    WITH released AS (DELETE FROM refund_coins WHERE refund_id = ${p.id})
    UPDATE refund_psbts SET psbt = NULL, address = NULL, problem = NULL, due_at = NULL
    WHERE refund_id = ${p.id}`,
);
const deletePsbt = sql<never, { id: string }>(
  'delete_refund_psbt',
  (p) => `DELETE FROM refund_psbts WHERE refund_id = ${p.id}`,
);

/** Releases the coins of a completed refund, and its change index unless that was used. */
export async function endPsbt(connection: Connection, id: string, isUsed: boolean): Promise<void> {
  await run(connection, isUsed ? keepIndex : deletePsbt, { id });
}

const bytesBeside = sql<{ bytes: number }, { paymentId: string; id: string }>(
  'bytes_of_other_psbts',
  (p) => `
    SELECT coalesce(sum(length(b.psbt)), 0)::integer AS bytes
    FROM refunds r JOIN refund_psbts b ON b.refund_id = r.id
    WHERE r.payment_id = ${p.paymentId} AND r.id <> ${p.id}`,
);

/** Returns how many bytes the PSBTs of a payment's other refunds have. */
export async function bytesOfOthers(connection: Connection, paymentId: string, id: string): Promise<number> {
  return (await runOne(connection, bytesBeside, { paymentId, id }))?.bytes ?? 0;
}

/** What the API says of a refund's PSBT. */
export interface ShownPsbt {
  readonly refund_id: string;
  readonly address: string | null;
  readonly psbt: Buffer | null;
  readonly problem: PsbtProblem | null;
}

const shownPsbts = sql<ShownPsbt, { paymentId: string }>(
  'psbts_of_payment',
  (p) => `
    SELECT b.refund_id, b.address, b.psbt, b.problem
    FROM refunds r JOIN refund_psbts b ON b.refund_id = r.id
    WHERE r.payment_id = ${p.paymentId} AND ${IS_UNSIGNED('r')} AND r.offered_at IS NULL`,
);

/** Returns what merchants are to sign for the refunds of a payment, by refund. */
export async function readPsbts(
  connection: Connection,
  paymentId: string,
): Promise<ReadonlyMap<string, ShownPsbt>> {
  const rows = await run(connection, shownPsbts, { paymentId });
  return new Map(rows.map((row) => [row.refund_id, row]));
}
