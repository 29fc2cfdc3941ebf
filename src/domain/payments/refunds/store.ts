import { LIVE_CHAIN_KEY } from '../../chain/chain-key.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { CheckoutPrice } from '../../../sdk/event-types.ts';
import { IS_OPEN, IS_PENDING, IS_UNDERWAY, NEEDS_ADDRESS, type RefundStatus } from './states.ts';

/** Where the money of a refund is taken from: the coins that came, or the settlement coin. */
export type RefundSource = 'held' | 'settled';

/** A refund as its row stores it. */
export interface Refund {
  readonly id: string;
  readonly payment_id: string;
  /** Decimal string, in `currency`: pay_currency. */
  readonly amount: string;
  readonly currency: CoinId;
  readonly source: RefundSource;
  /** In money, of which `amount` was converted; null: the refund was asked for in coins. */
  readonly price: CheckoutPrice | null;
  /** What is sent: whole units of the coin, above its dust limit. */
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly coin_amount: string;
  readonly reason: string | null;
  /** On `network`; null while the status is NEEDS_ADDRESS. */
  readonly address: string | null;
  readonly status: RefundStatus;
  readonly tx_hash: string | null;
  readonly created_at: Date;
  /** Why a transaction that was named last does not complete it; null: nothing is known against it. */
  readonly problem: RefundProblem | null;
  /** When the signer was asked to pay it; null: its merchant pays it. */
  readonly offered_at: Date | null;
}

/** What contradicts that a transaction is a refund. */
export interface RefundProblem {
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly message: string;
  readonly tx_hash: string;
}

const NEW_COLUMNS = `id, payment_id, amount, currency, source, coin, network, coin_amount, reason, address, status,
  tx_hash, created_at, price`;
/** The columns of a refund. */
export const REFUND_COLUMNS = `${NEW_COLUMNS}, problem, offered_at`;

const insertRefunds = sql<never, { refunds: string }>(
  'insert_refunds',
  (p) => `
    INSERT INTO refunds (${NEW_COLUMNS}, accepted_head, accepted_head_at)
    SELECT r.*, c.head, c.head_at FROM json_to_recordset(${p.refunds}::json) AS r (
      id text, payment_id text, amount text, currency text, source text, coin text, network text,
      coin_amount text, reason text, address text, status text, tx_hash text, created_at timestamptz,
      price json)
      LEFT JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('r.network')}`,
);

/** Stores new refunds, with how far their networks were read. */
export async function insertRefundRows(tx: Tx, refunds: readonly Refund[]): Promise<void> {
  await run(tx, insertRefunds, { refunds: recordset(refunds) });
}

const reserveParts = sql<never, { parts: string }>(
  'reserve_parts',
  (p) => `
    WITH part AS (
      SELECT * FROM jsonb_to_recordset(${p.parts}::jsonb) AS r (
        refund_id text, payment_id text, network text, tx_hash text, coin text, coins numeric)
    ), reserved AS (
      INSERT INTO refund_parts (refund_id, payment_id, network, tx_hash, coin, coins) SELECT * FROM part
    )
    UPDATE transfers t SET returned = t.returned + part.coins FROM part
    WHERE t.payment_id = part.payment_id AND t.network = part.network
      AND t.tx_hash = part.tx_hash AND t.coin = part.coin`,
);

/** Coins of a transfer that a refund reserves. */
export interface ReservedPart {
  readonly refund_id: string;
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly tx_hash: string;
  readonly coin: CoinId;
  readonly coins: string;
}

/** Reserves the coins of new refunds. The caller has locked their payments. */
export async function reserve(tx: Tx, parts: readonly ReservedPart[]): Promise<void> {
  if (parts.length > 0) await run(tx, reserveParts, { parts: recordset(parts) });
}

const pendingRefunds = sql<Refund, { ids: readonly string[] }>(
  'pending_refunds',
  (p) => `
    SELECT ${REFUND_COLUMNS} FROM refunds r WHERE id = ANY (${p.ids}) AND ${IS_PENDING('r')}
    ORDER BY created_at, place`,
);

/** Returns those of the refunds that have an address and are not paid out, oldest first. */
export async function readPendingRefunds(connection: Connection, ids: readonly string[]): Promise<Refund[]> {
  return run(connection, pendingRefunds, { ids });
}

const openRefunds = sql<Refund, { paymentIds: readonly string[] }>(
  'open_refunds',
  (p) => `
    SELECT ${REFUND_COLUMNS} FROM refunds r
    WHERE payment_id = ANY (${p.paymentIds}) AND ${IS_OPEN('r')}
    ORDER BY place`,
);

/** Returns the refunds of payments that are not paid out, oldest first. */
export async function readOpenRefunds(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<Refund[]> {
  return run(connection, openRefunds, { paymentIds });
}

const refundsOfPayment = sql<Refund, { paymentId: string }>(
  'refunds_of_payment',
  (p) => `SELECT ${REFUND_COLUMNS} FROM refunds WHERE payment_id = ${p.paymentId} ORDER BY place DESC`,
);

/** Returns all refunds of a payment, newest first. */
export async function readRefunds(connection: Connection, paymentId: string): Promise<Refund[]> {
  return run(connection, refundsOfPayment, { paymentId });
}

const askForPayout = sql<Refund, { id: string; now: Date }>(
  'ask_for_payout',
  (p) => `
    UPDATE refunds r SET asked_at = coalesce(asked_at, ${p.now}) WHERE id = ${p.id} AND ${IS_PENDING('r')}
    RETURNING ${REFUND_COLUMNS}`,
);

/**
 * Records that the payout of a refund is asked for, before it is: from then on the refund is not withdrawn.
 * Returns the refund as it is to be sent; null: it is not pending.
 */
export async function markAsked(tx: Tx, id: string, now: Date): Promise<Refund | null> {
  return runOne(tx, askForPayout, { id, now });
}

const completeRefund = sql<{ id: string }, { id: string; txHash: string; now: Date }>(
  'complete_refund',
  (p) => `
    UPDATE refunds r SET status = 'COMPLETED', tx_hash = ${p.txHash}, completed_at = ${p.now},
      problem = NULL
    WHERE id = ${p.id} AND ${IS_UNDERWAY('r')}
    RETURNING id`,
);

/** Marks a refund as paid out; false when another run did so first. */
export async function markCompleted(tx: Tx, id: string, txHash: string, now: Date): Promise<boolean> {
  return (await run(tx, completeRefund, { id, txHash, now })).length > 0;
}

const awaitSignature = sql<{ id: string }, { id: string }>(
  'await_signature',
  (p) => `
    UPDATE refunds r SET status = 'AWAITING_SIGNATURE' WHERE id = ${p.id} AND ${IS_PENDING('r')}
    RETURNING id`,
);

/** Records that a refund, whose payout was asked for, is the merchant's to pay. */
export async function markUnsigned(connection: Connection, id: string): Promise<void> {
  await run(connection, awaitSignature, { id });
}

// A transfer of before cannot be meant: nobody knew where the money was to go.
const addressRefunds = sql<{ id: string }, { paymentId: string; network: NetworkId; address: string }>(
  'address_refunds',
  (p) => `
    UPDATE refunds r SET status = 'PENDING', address = ${p.address},
      (accepted_head, accepted_head_at) = (
        SELECT c.head, c.head_at FROM chain_cursors c WHERE c.chain = ${LIVE_CHAIN_KEY('r.network')})
    WHERE payment_id = ${p.paymentId} AND network = ${p.network} AND ${NEEDS_ADDRESS('r')}
    RETURNING id`,
);

/** Gives an address to the refunds that wait for one on the network, and returns their ids. */
export async function setAddressOfRefunds(
  tx: Tx,
  paymentId: string,
  network: NetworkId,
  address: string,
): Promise<string[]> {
  return (await run(tx, addressRefunds, { paymentId, network, address })).map(({ id }) => id);
}
