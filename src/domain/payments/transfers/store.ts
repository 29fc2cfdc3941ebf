import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import type { Finality, FinalityRules } from '../../chain/finality.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Mode } from '../../api/endpoint.ts';
import { groupBy, recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { Changes } from '../lifecycle/transition.ts';
import type { Credit } from './credit.ts';
import type { PaymentTransfer } from './payment-transfer.ts';

/**
 * Selects a chain of a network: the real one, the simulated one or, with the id of a test clock, that of its
 * isolated payment.
 */
export interface ChainScope {
  readonly network: NetworkId;
  readonly testClock: string | null;
  /** The real network, not the simulated one. */
  readonly isLive: boolean;
  /** What makes transfers on real networks final. */
  readonly finality: FinalityRules;
  /** Payments of merchants of other modes are ignored: the chain is not theirs. */
  readonly modes: readonly Mode[];
}

/** A transfer as the chain reports it, with its payment and its credit. */
export interface TransferRow extends Credit {
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly tx_hash: string;
  readonly coin: string;
  readonly amount: string;
  readonly sender: string | null;
  readonly seen_at: Date;
  readonly is_live: boolean;
  readonly block_height: number | null;
  readonly block_hash: string | null;
  readonly dropped_at: Date | null;
  readonly replaced_by: string | null;
  readonly drop_reason: string | null;
  readonly finality: Finality;
  readonly pooled_at: Date | null;
  readonly lapsed_at: Date | null;
  readonly converted: string;
  readonly returned: string;
  readonly conversion: number | null;
}

/** SQL: two states of a transfer are in one block; an earlier release knew heights only. */
const SAME_BLOCK = (a: string, b: string) =>
  `${a}.block_height = ${b}.block_height AND coalesce(${a}.block_hash, ${b}.block_hash) = ${b}.block_hash`;

// What became of a transfer is decided elsewhere. What it is worth changes only when it is mined after it
// lapsed, or moves another amount in another branch.
const upsertTransfers = sql<never, { transfers: string }>(
  'upsert_transfers',
  (p) => `
    INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, sender, seen_at, is_live,
      block_height, block_hash, dropped_at, replaced_by, drop_reason, finality, pooled_at, lapsed_at, credit,
      locked_amount, locked_credit, converted, returned, conversion)
    SELECT * FROM jsonb_to_recordset(${p.transfers}::jsonb) AS t (
      payment_id text, network text, tx_hash text, coin text, amount numeric, sender text,
      seen_at timestamptz, is_live boolean, block_height bigint, block_hash text, dropped_at timestamptz,
      replaced_by text, drop_reason text, finality text, pooled_at timestamptz, lapsed_at timestamptz,
      credit numeric, locked_amount numeric, locked_credit numeric, converted numeric, returned numeric,
      conversion integer)
    ON CONFLICT (payment_id, network, tx_hash, coin) DO UPDATE SET
      amount = excluded.amount,
      block_height = excluded.block_height,
      block_hash = excluded.block_hash,
      dropped_at = excluded.dropped_at,
      replaced_by = excluded.replaced_by,
      drop_reason = excluded.drop_reason,
      finality = excluded.finality,
      seen_at = excluded.seen_at,
      pooled_at = excluded.pooled_at,
      lapsed_at = excluded.lapsed_at,
      credit = excluded.credit,
      locked_amount = excluded.locked_amount,
      locked_credit = excluded.locked_credit,
      has_left = transfers.has_left AND coalesce(${SAME_BLOCK('transfers', 'excluded')}, false),
      confirmed_at = CASE WHEN ${SAME_BLOCK('transfers', 'excluded')} THEN transfers.confirmed_at END`,
);

/** Stores the current state of transfers. The caller has locked the rows of their payments. */
export async function storeTransfers(tx: Tx, transfers: readonly TransferRow[]): Promise<void> {
  if (transfers.length > 0) await run(tx, upsertTransfers, { transfers: recordset(transfers) });
}

/** A transfer and the one that moves its money now. */
export interface Replacement {
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly coin: string;
  readonly lost: string;
  readonly same: string;
}

const moveMoneyRows = sql<never, { replacements: string }>(
  'move_money_to_replacement',
  (p) => `
    WITH replaced AS (
      SELECT * FROM jsonb_to_recordset(${p.replacements}::jsonb) AS r (
        payment_id text, network text, coin text, lost text, same text)
    ), parts AS (
      UPDATE refund_parts part SET tx_hash = r.same FROM replaced r
      WHERE part.payment_id = r.payment_id AND part.network = r.network
        AND part.tx_hash = r.lost AND part.coin = r.coin
    )
    UPDATE transfers t SET converted = 0, returned = 0, conversion = NULL FROM replaced r
    WHERE t.payment_id = r.payment_id AND t.network = r.network
      AND t.tx_hash = r.lost AND t.coin = r.coin`,
);

/** What a replaced transfer was committed to holds for the stored transfer that moves the same money. */
export async function moveMoney(tx: Tx, replacements: readonly Replacement[]): Promise<void> {
  if (replacements.length > 0) await run(tx, moveMoneyRows, { replacements: recordset(replacements) });
}

const transfersOfPayments = sql<PaymentTransfer, { paymentIds: readonly string[] }>(
  'transfers_of_payments',
  (p) => `
    SELECT t.payment_id, t.network, t.tx_hash, t.coin, t.amount, t.sender, t.seen_at, t.block_height,
      t.block_hash, t.finality, t.confirmed_at, t.dropped_at, t.pooled_at, t.lapsed_at, t.credit,
      t.locked_amount, t.locked_credit, t.converted, t.returned, t.conversion, p.pay_currency, p.pay_network,
      coalesce(greatest(0, c.head - t.block_height + 1), 0)::int AS confirmations
    FROM transfers t
      JOIN payments p ON p.id = t.payment_id
      LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
    WHERE t.payment_id = ANY (${p.paymentIds})
    ORDER BY t.payment_id, t.seen_at, t.place`,
);

/** Returns all transfers of the payments, oldest first, with their confirmations. */
export async function readTransfers(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<PaymentTransfer[]> {
  return paymentIds.length === 0 ? [] : run(connection, transfersOfPayments, { paymentIds });
}

/** Returns all transfers of the payments by payment, oldest first. */
export async function readTransfersByPayment(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, PaymentTransfer[]>> {
  return groupBy(await readTransfers(connection, paymentIds), ({ payment_id }) => payment_id);
}

const updateMoney = sql<never, { payments: string }>(
  'update_money',
  (p) => `
    UPDATE payments p SET
      amount_received = m.amount_received,
      fully_funded = m.fully_funded,
      exceptions = m.exceptions,
      tx_hash = m.tx_hash,
      tx_network = m.tx_network,
      confirmations = m.confirmations,
      finality = coalesce(m.finality, p.finality)
    FROM jsonb_to_recordset(${p.payments}::jsonb) AS m (
      id text, amount_received numeric, fully_funded boolean, exceptions text[], tx_hash text,
      tx_network text, confirmations integer, finality text)
    WHERE p.id = m.id`,
);

/** Records what the transfers of payments amount to, where no transition does. */
export async function recordMoney(tx: Tx, payments: readonly (Changes & { id: string })[]): Promise<void> {
  if (payments.length > 0) await run(tx, updateMoney, { payments: recordset(payments) });
}
