import type { NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer, Rates } from '../../chain/port.ts';
import { ensureScheduled } from '../../schedule/store.ts';
import { recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { applyUnapplied } from './jobs.ts';
import { testClockOf, type Payment } from './payment.ts';

/** What a page of a chain reports of a payment, set aside because it cannot be applied. */
export interface UnappliedTransfers {
  readonly network: NetworkId;
  readonly transfers: readonly ChainTransfer[];
  /** Of the moment of the page: they decide the credit of new transfers. Null: there were none. */
  readonly rates: Rates | null;
  /** Transfers at or below it had confirmed; null: there was another page to read. */
  readonly height: number | null;
}

/**
 * SQL: whether transfers of the payment with this id are set aside. Until they are applied, nothing is
 * decided about the payment that they could change: it does not expire, settle, confirm or get another
 * quote, and no refund of it is accepted. Transfers are set aside under the payment's lock: a decision takes
 * the lock first, and asks in a statement after it.
 */
export const HAS_UNAPPLIED = (paymentId: string) =>
  `EXISTS (SELECT FROM unapplied_transfers u WHERE u.payment_id = ${paymentId})`;

const unappliedAmong = sql<{ payment_id: string }, { ids: readonly string[] }>(
  'payments_with_unapplied_transfers',
  (p) => `SELECT DISTINCT payment_id FROM unapplied_transfers WHERE payment_id = ANY (${p.ids})`,
);

/** Returns those of the payments whose transfers are set aside. */
export async function findUnapplied(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await run(connection, unappliedAmong, { ids })).map(({ payment_id }) => payment_id));
}

const insertUnapplied = sql<never, { rows: string; now: Date }>(
  'insert_unapplied_transfers',
  (p) => `
    INSERT INTO unapplied_transfers (payment_id, network, transfers, rates, height, set_aside_at)
    SELECT r.*, ${p.now} FROM json_to_recordset(${p.rows}::json) AS r (
      payment_id text, network text, transfers json, rates json, height bigint)`,
);

/**
 * Sets aside what a page reports of payments, behind what is set aside of them already, and schedules the job
 * that applies it. A job that exists keeps its failures: more transfers do not repair the payment. The caller
 * has locked the payments; a job that applies their rows at this moment would else delete itself, and leave
 * the new rows without one.
 */
export async function setAside(
  tx: Tx,
  payments: readonly Payment[],
  reportOf: (paymentId: string) => UnappliedTransfers,
  now: Date,
): Promise<void> {
  if (payments.length === 0) return;
  const rows = payments.map(({ id }) => {
    const report = reportOf(id);
    return { payment_id: id, ...report, rates: report.rates ?? {} };
  });
  await run(tx, insertUnapplied, { rows: recordset(rows), now });
  await ensureScheduled(
    tx,
    payments.map((payment) => ({
      job: applyUnapplied,
      key: payment.id,
      runAt: now,
      testClock: testClockOf(payment),
    })),
  );
}

/** A transfer as JSON: its times are text. */
type StoredTransfer = Omit<ChainTransfer, 'seenAt' | 'droppedAt'> & {
  readonly seenAt: string;
  readonly droppedAt: string | null;
};

interface UnappliedRow extends Omit<UnappliedTransfers, 'transfers' | 'height' | 'rates'> {
  /** Without coins: there were none. */
  readonly rates: Rates;
  readonly transfers: readonly StoredTransfer[];
  readonly height: string | null;
  readonly set_aside_at: Date;
}

const takeRows = sql<UnappliedRow, { paymentId: string }>(
  'take_unapplied_transfers',
  (p) => `
    WITH taken AS (
      DELETE FROM unapplied_transfers WHERE payment_id = ${p.paymentId}
      RETURNING place, network, transfers, rates, height, set_aside_at
    )
    SELECT network, transfers, rates, height, set_aside_at FROM taken ORDER BY place`,
);

/** Removes and returns what is set aside of a payment, whose row the caller has locked, in its order. */
export async function takeUnapplied(
  tx: Tx,
  paymentId: string,
): Promise<(UnappliedTransfers & { at: Date })[]> {
  return (await run(tx, takeRows, { paymentId })).map(
    ({ transfers, height, rates, set_aside_at, ...row }) => ({
      ...row,
      rates: Object.keys(rates).length === 0 ? null : rates,
      at: set_aside_at,
      height: height === null ? null : Number(height),
      transfers: transfers.map((transfer) => ({
        ...transfer,
        seenAt: new Date(transfer.seenAt),
        droppedAt: transfer.droppedAt === null ? null : new Date(transfer.droppedAt),
      })),
    }),
  );
}
