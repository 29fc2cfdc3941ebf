import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { groupBy, recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { sum } from '../../../platform/values/money.ts';
import { creditOfBottom } from '../transfers/credit.ts';
import { methodOf, type Part } from './plan.ts';
import { BEGUN, endedStatus, IS_BEGUN, IS_REFUSED, type ConversionOutcome } from './states.ts';

/** A conversion of money of one coin on one network into the settlement coin. */
export interface ConversionRow {
  readonly payment_id: string;
  /** 1, 2, 3 ... per payment: another amount is another conversion, with a reference of its own. */
  readonly number: number;
  readonly coin: CoinId;
  readonly network: NetworkId;
  /** In the coin. */
  readonly amount: string;
  /** In pay_currency. */
  readonly credit: string;
}

const lastNumbers = sql<{ payment_id: string; number: number }, { paymentIds: readonly string[] }>(
  'last_conversions',
  (p) => `
    SELECT payment_id, max(number) AS number FROM conversions
    WHERE payment_id = ANY (${p.paymentIds}) GROUP BY payment_id`,
);
const insertConversions = sql<never, { conversions: string; parts: string; now: Date }>(
  'insert_conversions',
  (p) => `
    WITH part AS (
      SELECT * FROM jsonb_to_recordset(${p.parts}::jsonb) AS t (
        payment_id text, network text, tx_hash text, coin text, coins numeric, number integer)
    ), committed AS (
      UPDATE transfers t SET converted = part.coins, conversion = part.number FROM part
      WHERE t.payment_id = part.payment_id AND t.network = part.network
        AND t.tx_hash = part.tx_hash AND t.coin = part.coin
    )
    INSERT INTO conversions (payment_id, number, coin, network, amount, credit, status, created_at)
    SELECT c.*, '${BEGUN}', ${p.now} FROM jsonb_to_recordset(${p.conversions}::jsonb) AS c (
      payment_id text, number integer, coin text, network text, amount numeric, credit numeric)`,
);

/** Returns the number of each payment's last conversion, of those that have one. */
export async function readLastNumbers(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await run(connection, lastNumbers, { paymentIds });
  return new Map(rows.map(({ payment_id, number }) => [payment_id, number]));
}

/**
 * Commits the parts of payments to conversions, one per payment, coin and network, under the numbers that
 * follow the `last` ones. The caller has locked the payments before it read those. From now on nothing else
 * takes the coins.
 */
export async function beginConversions(
  tx: Tx,
  parts: readonly Part[],
  last: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  if (parts.length === 0) return;
  const byPayment = groupBy(parts, ({ transfer }) => transfer.payment_id);
  const numberOf = new Map(last);
  const conversions: ConversionRow[] = [];
  const committed: object[] = [];
  for (const [payment_id, own] of byPayment) {
    for (const group of groupBy(own, ({ transfer }) => methodOf(transfer)).values()) {
      const number = (numberOf.get(payment_id) ?? 0) + 1;
      numberOf.set(payment_id, number);
      conversions.push(conversionOf(group, number));
      for (const { transfer, coins } of group) {
        const { network, tx_hash, coin } = transfer;
        committed.push({ payment_id, network, tx_hash, coin, coins, number });
      }
    }
  }
  await run(tx, insertConversions, {
    conversions: recordset(conversions),
    parts: recordset(committed),
    now,
  });
}

function conversionOf(group: readonly Part[], number: number): ConversionRow {
  const [first] = group;
  if (first === undefined) throw new Error('a conversion needs money');
  const { payment_id, coin, network } = first.transfer;
  return {
    payment_id,
    number,
    coin,
    network,
    amount: sum(group.map(({ coins }) => coins)),
    credit: sum(group.map(({ transfer, coins }) => creditOfBottom(transfer, coins))),
  };
}

/** A conversion without an outcome: it was stored before an exchange was asked, and may have happened. */
export interface PendingConversion extends ConversionRow {
  /**
   * None of its money waits for blocks: all of it is confirmed, or some was dropped and never will be. Then
   * an exchange is asked, again, for the outcome.
   */
  readonly is_decided: boolean;
}

// Served by conversions_pending.
const pendingConversions = sql<PendingConversion, { paymentIds: readonly string[] }>(
  'pending_conversions',
  (p) => `
    SELECT c.payment_id, c.number, c.coin, c.network, c.amount, c.credit,
      bool_and(t.confirmed_at IS NOT NULL AND t.dropped_at IS NULL) OR bool_or(t.dropped_at IS NOT NULL)
        AS is_decided
    FROM conversions c
      JOIN transfers t ON t.payment_id = c.payment_id AND t.conversion = c.number
    WHERE c.payment_id = ANY (${p.paymentIds}) AND ${IS_BEGUN('c')}
    GROUP BY c.payment_id, c.number
    ORDER BY c.payment_id, c.number`,
);

/** Returns the conversions of payments that have begun and have no outcome. */
export async function readPendingConversions(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<PendingConversion[]> {
  return run(connection, pendingConversions, { paymentIds });
}

/** A conversion with its outcome. */
export interface ConversionResult {
  readonly conversion: ConversionRow;
  readonly outcome: ConversionOutcome;
}

// Served by conversions_pending. What an exchange refused keeps its number: it is not offered again, and can
// be sent back.
const finishConversions = sql<Pick<ConversionRow, 'payment_id' | 'number'>, { results: string; now: Date }>(
  'finish_conversions',
  (p) => `
    WITH finished AS (
      UPDATE conversions c SET status = a.status, finished_at = ${p.now}
      FROM jsonb_to_recordset(${p.results}::jsonb) AS a (payment_id text, number integer, status text)
      WHERE c.payment_id = a.payment_id AND c.number = a.number AND ${IS_BEGUN('c')}
      RETURNING c.payment_id, c.number, c.status
    ), released AS (
      UPDATE transfers t SET converted = 0 FROM finished f
      WHERE ${IS_REFUSED('f')} AND t.payment_id = f.payment_id AND t.conversion = f.number
    )
    SELECT payment_id, number FROM finished`,
);

/**
 * Records the outcomes of conversions; the coins of one that did not happen are held again. Returns those
 * that no other run recorded first.
 */
export async function endConversions(
  tx: Tx,
  results: readonly ConversionResult[],
  now: Date,
): Promise<ConversionResult[]> {
  if (results.length === 0) return [];
  const rows = results.map(({ conversion: { payment_id, number }, outcome }) => ({
    payment_id,
    number,
    status: endedStatus(outcome),
  }));
  const finished = await run(tx, finishConversions, { results: recordset(rows), now });
  const recorded = new Set(finished.map(({ payment_id, number }) => `${payment_id}/${number}`));
  return results.filter(({ conversion: { payment_id, number } }) => recorded.has(`${payment_id}/${number}`));
}
