import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import { IS_STANDING } from '../payments/transfers/payment-transfer.ts';
import { isUnderWay, statusesThat } from '../payments/lifecycle/states.ts';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** What a till has taken. */
export interface Totals {
  /** Payments that are settled. */
  readonly count: number;
  /** What they were to bring, by the currency in which they were priced. */
  readonly prices: readonly { currency: string; count: number; amount: string }[];
  /** What has come for them, by coin and network; confirmed money alone. */
  readonly coins: readonly { coin: CoinId; network: NetworkId; amount: string }[];
  /** What of it was sent back by then, in the settlement coin. */
  readonly refunds: readonly { currency: string; amount: string }[];
}

/** SQL: the totals of the settled payments of sales `s` of a till for which a condition holds. */
const TOTALS = (tillId: string, condition: string) => `
    WITH paid AS MATERIALIZED (
      SELECT p.id, coalesce(p.price->>'currency', p.pay_currency) AS currency, p.pay_currency,
        coalesce(p.price->>'amount', p.pay_amount)::numeric AS amount, p.amount_refunded
      FROM till_sales s JOIN payments p ON p.id = s.payment_id
      WHERE s.till_id = ${tillId} AND ${condition} AND p.settled_at IS NOT NULL
    ), priced AS (
      SELECT currency, count(*)::integer AS count, sum(amount)::text AS amount FROM paid GROUP BY currency
    ), came AS (
      SELECT t.coin, t.network, sum(t.amount)::text AS amount
      FROM paid JOIN transfers t ON t.payment_id = paid.id
      WHERE ${IS_STANDING('t')} AND t.confirmed_at IS NOT NULL GROUP BY t.coin, t.network
    ), refunded AS (
      SELECT pay_currency AS currency, sum(amount_refunded)::text AS amount FROM paid
      WHERE amount_refunded > 0 GROUP BY pay_currency
    )
    SELECT (SELECT count(*)::integer FROM paid) AS count,
      (SELECT coalesce(json_agg(priced ORDER BY currency), '[]') FROM priced) AS prices,
      (SELECT coalesce(json_agg(came ORDER BY coin, network), '[]') FROM came) AS coins,
      (SELECT coalesce(json_agg(refunded ORDER BY currency), '[]') FROM refunded) AS refunds`;

// Index: till_sales_of_close.
const ofClose = sql<Totals, { tillId: string; number: number }>('totals_of_close', (p) =>
  TOTALS(p.tillId, `s.close_number = ${p.number} AND s.close_number > 0`),
);
// Index: till_sales_uncounted.
const sinceClose = sql<Totals, { tillId: string }>('totals_since_close', (p) =>
  TOTALS(p.tillId, 's.close_number IS NULL'),
);

const NOTHING: Totals = { count: 0, prices: [], coins: [], refunds: [] };

/** Returns the totals of what a close counts. */
export async function totalsOf(connection: Connection, tillId: string, number: number): Promise<Totals> {
  return (await runOne(connection, ofClose, { tillId, number })) ?? NOTHING;
}

/** Returns the totals of what a close would count now. */
export async function totalsSince(connection: Connection, tillId: string): Promise<Totals> {
  return (await runOne(connection, sinceClose, { tillId })) ?? NOTHING;
}

/** Sales that are not in the totals, and may need somebody. */
export interface Uncounted {
  /** Their payments may still be paid, or are being confirmed: a later close counts them. */
  readonly open: number;
  /** Money came for them, and their payment has ended without being paid. */
  readonly partly: number;
}

const countUncounted = sql<Uncounted, { tillId: string }>(
  'count_uncounted_sales',
  (p) => `
    SELECT count(*) FILTER (WHERE p.status IN (${statusesThat(isUnderWay)}))::integer AS open,
      count(*) FILTER (
        WHERE p.status NOT IN (${statusesThat(isUnderWay)}) AND p.amount_received > p.amount_refunded
      )::integer AS partly
    FROM till_sales s JOIN payments p ON p.id = s.payment_id
    WHERE s.till_id = ${p.tillId} AND s.close_number IS NULL AND p.settled_at IS NULL`,
);

/** Counts what a close would leave. */
export async function countLeft(connection: Connection, tillId: string): Promise<Uncounted> {
  return (await runOne(connection, countUncounted, { tillId })) ?? { open: 0, partly: 0 };
}
