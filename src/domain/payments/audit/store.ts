import { liveChainKey } from '../../chain/chain-key.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { IS_SHORT } from '../transfers/decide.ts';
import { isExpired, isOpen, isUnderWay, statusesThat } from '../lifecycle/states.ts';

/** A live payment whose address nobody has looked at. */
export interface Unaudited {
  readonly payment_id: string;
  readonly address: string;
  readonly created_at: Date;
}

/** The clocks of blocks and ours may differ by this. */
const SKEW_SECONDS = 60;

/** Returns before when nothing that came to an address is its payment's. */
export const begunAt = ({ created_at }: Pick<Unaudited, 'created_at'>): Date =>
  addSeconds(created_at, -SKEW_SECONDS);

// Index: payments_open_deposits. A payment has one address per network, whatever its coins.
const unaudited = sql<Unaudited, { network: NetworkId; limit: number }>(
  'unaudited_payments',
  (p) => `
    SELECT p.id AS payment_id, q.address, p.created_at FROM payments p CROSS JOIN LATERAL (
      SELECT address FROM quotes WHERE payment_id = p.id AND network = ${p.network} LIMIT 1
    ) q
    WHERE p.wallet_id IS NOT NULL AND p.status IN (${statusesThat(isOpen)}) AND NOT EXISTS (
      SELECT FROM balance_audits a WHERE a.payment_id = p.id AND a.network = ${p.network})
    ORDER BY p.id LIMIT ${p.limit}`,
);

/** Returns payments that are not audited on a network yet, the oldest first. */
export async function findUnaudited(
  connection: Connection,
  network: NetworkId,
  limit: number,
): Promise<Unaudited[]> {
  return run(connection, unaudited, { network, limit });
}

/** What an address held before its payment. */
export interface Baseline {
  readonly payment_id: string;
  /** Null: nobody could prove it. */
  readonly baseline: string | null;
}

const DAILY = `interval '1 day'`;

const insertAudits = sql<never, { rows: string; network: NetworkId; at: Date }>(
  'insert_balance_audits',
  (p) => `
    INSERT INTO balance_audits (payment_id, network, baseline, audited_until, due_at)
    SELECT r.payment_id, ${p.network}, r.baseline, ${p.at}, least(p.deadline_at, p.created_at + ${DAILY})
    FROM json_to_recordset(${p.rows}::json) AS r (payment_id text, baseline numeric)
      JOIN payments p ON p.id = r.payment_id
    ON CONFLICT DO NOTHING`,
);

/** Stores what addresses held after a block of a time, before which nothing was their payments'. */
export async function storeBaselines(
  connection: Connection,
  network: NetworkId,
  rows: readonly Baseline[],
  at: Date,
): Promise<void> {
  if (rows.length > 0) await run(connection, insertAudits, { rows: recordset(rows), network, at });
}

/** An audit that is due. */
export interface DueAudit extends Unaudited, Baseline {
  readonly audited_until: Date;
  readonly merchant_id: string;
  /** Null: the payment cannot expire. */
  readonly expires_at: Date | null;
}

/** What is audited: payments that can expire, and after that for as long as late money may be honoured. */
const AUDITED = statusesThat((status) => isOpen(status) || isExpired(status));

// Index: balance_audits_due. What is quarantined of a payment is not counted yet, and it cannot expire.
const dueAudits = sql<DueAudit, { network: NetworkId; until: Date; limit: number }>(
  'due_balance_audits',
  (p) => `
    SELECT a.payment_id, q.address, p.created_at, a.baseline, a.audited_until, p.merchant_id,
      CASE WHEN ${IS_SHORT} THEN p.deadline_at END AS expires_at
    FROM balance_audits a JOIN payments p ON p.id = a.payment_id CROSS JOIN LATERAL (
      SELECT address FROM quotes WHERE payment_id = a.payment_id AND network = a.network LIMIT 1
    ) q
    WHERE a.network = ${p.network} AND a.due_at <= ${p.until} AND p.status IN (${AUDITED})
      AND NOT ${HAS_QUARANTINED('a.payment_id')}
    ORDER BY a.due_at LIMIT ${p.limit}`,
);

/** Returns audits that are due with a final block of a time, the first first. */
export async function findDue(
  connection: Connection,
  network: NetworkId,
  until: Date,
  limit: number,
): Promise<DueAudit[]> {
  return run(connection, dueAudits, { network, until, limit });
}

const ENDED = statusesThat((status) => !isUnderWay(status) && !isExpired(status));

// What nobody can audit for three days is over as well.
const deleteEnded = sql<never, { network: NetworkId; now: Date }>(
  'delete_ended_audits',
  (p) => `
    DELETE FROM balance_audits a USING payments p
    WHERE p.id = a.payment_id AND a.network = ${p.network} AND (
      a.due_at = 'infinity' OR a.due_at < ${p.now}::timestamptz - interval '3 days'
      OR a.due_at <= ${p.now} AND p.status IN (${ENDED}))`,
);

/** Deletes the audits of payments to which nothing can come any more. */
export async function deleteOver(connection: Connection, network: NetworkId, now: Date): Promise<void> {
  await run(connection, deleteEnded, { network, now });
}

/** What an audit has found: nothing, or money without a proof. */
export interface Audited {
  readonly payment_id: string;
  readonly unproven: string | null;
}

// The next one: at the deadline, at the end of the late window, and daily until then.
const markAudited = sql<never, { rows: string; network: NetworkId; until: Date }>(
  'mark_audited',
  (p) => `
    UPDATE balance_audits a SET audited_until = ${p.until}, unproven = r.unproven, due_at = CASE
      WHEN p.status IN (${statusesThat(isOpen)}) OR e.late_until > ${p.until} THEN least(
        ${p.until}::timestamptz + ${DAILY}, (
          SELECT min(at) FROM unnest(ARRAY[p.deadline_at, e.late_until]) AS ends (at) WHERE at > ${p.until}
        ))
      ELSE 'infinity' END
    FROM json_to_recordset(${p.rows}::json) AS r (payment_id text, unproven text)
      JOIN payments p ON p.id = r.payment_id CROSS JOIN LATERAL (
        SELECT least(p.expires_at, p.cancelled_at) + ${DAILY} AS late_until
      ) e
    WHERE a.payment_id = r.payment_id AND a.network = ${p.network}`,
);

/** Records that payments were audited with a final block of a time. */
export async function storeAudited(
  connection: Connection,
  network: NetworkId,
  rows: readonly Audited[],
  until: Date,
): Promise<void> {
  if (rows.length > 0) await run(connection, markAudited, { rows: recordset(rows), network, until });
}

export interface Known {
  readonly payment_id: string;
  readonly coin: CoinId;
  readonly amount: string;
}

const known = sql<Known, { paymentIds: readonly string[]; network: NetworkId; height: number }>(
  'transfers_up_to_height',
  (p) => `
    SELECT payment_id, coin, sum(amount) AS amount FROM transfers
    WHERE payment_id = ANY (${p.paymentIds}) AND network = ${p.network}
      AND dropped_at IS NULL AND block_height <= ${p.height}::bigint
    GROUP BY payment_id, coin`,
);

/** Returns what is known to have come to payments up to a height, with what earlier audits found. */
export async function readKnown(
  connection: Connection,
  paymentIds: readonly string[],
  network: NetworkId,
  height: number,
): Promise<Known[]> {
  return run(connection, known, { paymentIds, network, height });
}

const recordRound = sql<never, { chain: string; now: Date }>(
  'record_audit_round',
  (p) => `UPDATE chain_cursors SET audited_at = ${p.now} WHERE chain = ${p.chain}`,
);

/** Records that the network is audited: no payment there expires without. */
export async function recordAuditRound(connection: Connection, network: NetworkId, now: Date): Promise<void> {
  await run(connection, recordRound, { chain: liveChainKey(network), now });
}
