import type { NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import type { Rates } from '../../chain/rates/rates.ts';
import { ensureScheduled } from '../../schedule/store.ts';
import { recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { applyQuarantined } from './jobs.ts';
import { testClockOf, type Payment } from './payment.ts';

/** What a page of a chain reports of a payment and cannot be applied to it yet. */
export interface QuarantinedTransfers {
  readonly network: NetworkId;
  readonly transfers: readonly ChainTransfer[];
  /** Of the moment of the page: they decide the credit of new transfers. Null: there were none. */
  readonly rates: Rates;
  /** Transfers at or below it had confirmed; null: there was another page to read. */
  readonly height: number | null;
  /** The page is of the real network. */
  readonly isLive: boolean;
}

/**
 * SQL: whether transfers of the payment with this id are quarantined. Until they are applied, nothing is
 * decided about the payment that they could change: it does not expire, settle, confirm or get another
 * quote, and no refund of it is accepted. Transfers are quarantined under the payment's lock: a decision
 * takes the lock first, and asks in a statement after it.
 */
export const HAS_QUARANTINED = (paymentId: string) =>
  `EXISTS (SELECT FROM unapplied_transfers u WHERE u.payment_id = ${paymentId})`;

const quarantinedAmong = sql<{ payment_id: string }, { ids: readonly string[] }>(
  'payments_with_quarantined_transfers',
  (p) => `SELECT DISTINCT payment_id FROM unapplied_transfers WHERE payment_id = ANY (${p.ids})`,
);

/** Returns those of the payments whose transfers are quarantined. */
export async function findQuarantined(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await run(connection, quarantinedAmong, { ids })).map(({ payment_id }) => payment_id));
}

const insertQuarantined = sql<never, { rows: string; now: Date }>(
  'insert_quarantined_transfers',
  (p) => `
    INSERT INTO unapplied_transfers (payment_id, network, transfers, rates, height, is_live, set_aside_at)
    SELECT r.*, ${p.now} FROM json_to_recordset(${p.rows}::json) AS r (
      payment_id text, network text, transfers json, rates json, height bigint, is_live boolean)`,
);

/**
 * Quarantines what a page reports of payments, behind what is quarantined of them already, and schedules the
 * job that applies it. A job that exists keeps its failures: more transfers do not repair the payment. The
 * caller has locked the payments; else a job that applies their rows at this moment would delete itself and
 * leave the new rows without one.
 */
export async function quarantine(
  tx: Tx,
  payments: readonly Payment[],
  reportOf: (payment: Payment) => QuarantinedTransfers,
  now: Date,
): Promise<void> {
  if (payments.length === 0) return;
  const rows = payments.map((payment) => {
    const { isLive: is_live, transfers, ...report } = reportOf(payment);
    return { payment_id: payment.id, ...report, is_live, transfers: transfers.map(toJson) };
  });
  await run(tx, insertQuarantined, { rows: recordset(rows), now });
  await ensureScheduled(
    tx,
    payments.map((payment) => ({
      job: applyQuarantined,
      key: payment.id,
      runAt: now,
      testClock: testClockOf(payment),
    })),
  );
}

/** A transfer as JSON: its times are text. One of an earlier release has a height, and no block. */
export type StoredTransfer = Omit<ChainTransfer, 'seenAt' | 'minedAt' | 'droppedAt'> & {
  readonly seenAt: string;
  readonly minedAt?: string | null;
  readonly droppedAt: string | null;
  readonly blockHeight?: number | null;
};

interface QuarantinedRow extends Omit<QuarantinedTransfers, 'transfers' | 'height' | 'isLive'> {
  readonly transfers: readonly StoredTransfer[];
  readonly height: string | null;
  readonly is_live: boolean;
  readonly set_aside_at: Date;
}

const takeRows = sql<QuarantinedRow, { paymentId: string }>(
  'take_quarantined_transfers',
  (p) => `
    WITH taken AS (
      DELETE FROM unapplied_transfers WHERE payment_id = ${p.paymentId}
      RETURNING place, network, transfers, rates, height, is_live, set_aside_at
    )
    SELECT network, transfers, rates, height, is_live, set_aside_at FROM taken ORDER BY place`,
);

/** Removes and returns what is quarantined of a payment, whose row the caller has locked, in its order. */
export async function takeQuarantined(
  tx: Tx,
  paymentId: string,
): Promise<(QuarantinedTransfers & { at: Date })[]> {
  return (await run(tx, takeRows, { paymentId })).map(
    ({ transfers, height, is_live: isLive, set_aside_at, ...row }) => ({
      ...row,
      at: set_aside_at,
      height: height === null ? null : Number(height),
      isLive,
      transfers: transfers.map(transferFromJson),
    }),
  );
}

/** With the height where the previous release, which may apply it, looks for it. */
function toJson(transfer: ChainTransfer) {
  return { ...transfer, blockHeight: transfer.block?.height ?? null };
}

/** Returns a transfer that was quarantined. */
export function transferFromJson({
  blockHeight = null,
  block,
  minedAt = null,
  ...transfer
}: StoredTransfer): ChainTransfer {
  return {
    ...transfer,
    minedAt: minedAt === null ? null : new Date(minedAt),
    block: block ?? (blockHeight === null ? null : { height: blockHeight, hash: '' }),
    seenAt: new Date(transfer.seenAt),
    droppedAt: transfer.droppedAt === null ? null : new Date(transfer.droppedAt),
  };
}
