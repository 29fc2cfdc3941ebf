import { POSITIONS, SETTLE_BOUNDS } from './settle-times.ts';

/** Events of a feed that one look at it counts, of one merchant. */
export const PAGE_EVENTS = 2_000;

/**
 * SQL: the events of a merchant's feed behind its position, the columns `merchant_id`, `txid` and `place` of
 * the row `m`. Index: events_feed.
 */
export const EVENTS_BEHIND = (m: string): string => `
      SELECT e.payment_id, e.type, e.txid, e.place FROM events e
      WHERE e.merchant_id = ${m}.merchant_id AND (e.txid, e.place) > (${m}.txid, ${m}.place)`;

/** SQL: the numbers that are added up. */
const SUMS = ['created', 'created_settled', 'settled'] as const;

/**
 * SQL: the CTE `tally`, of the events in the CTE `page`, as rows of payment_counts. A payment is counted
 * where it was created and, when it settles, there once more and where it settled.
 */
export const TALLY = `happened AS (
     SELECT e.merchant_id, p.pay_currency AS coin, h.*
     FROM page e JOIN payments p ON p.id = e.payment_id CROSS JOIN LATERAL (
       SELECT p.created_at AS at, (e.type = 'checkout.created')::int AS created,
         (e.type = 'checkout.settled')::int AS created_settled, 0 AS settled, 0::numeric AS volume,
         NULL::float8 AS seconds
       UNION ALL
       SELECT p.settled_at, 0, 0, 1, p.pay_amount::numeric,
         extract(epoch FROM p.settled_at - p.created_at)::float8
       WHERE e.type = 'checkout.settled'
     ) h
     WHERE e.type IN ('checkout.created', 'checkout.settled') AND h.at IS NOT NULL
   ), placed AS (
     SELECT *, date_bin('15 minutes', at, 'epoch') AS quarter,
       1 + width_bucket(seconds, ARRAY[${SETTLE_BOUNDS.join(', ')}]::float8[]) AS time
     FROM happened
   ), tally AS (
     SELECT merchant_id, quarter, coin,
       ${SUMS.map((column) => `sum(${column})::int AS ${column}`).join(', ')}, sum(volume) AS volume,
       ARRAY[${POSITIONS.map((at) => `count(*) FILTER (WHERE time = ${at})::int`).join(',\n         ')}]
         AS times
     FROM placed GROUP BY merchant_id, quarter, coin
   )`;

/** SQL: the columns of `tally`. */
export const TALLIED = 'merchant_id, quarter, coin, created, created_settled, settled, volume, times';

/** SQL: adds rows of `tally` to the row `c` of payment_counts that is there. */
export const ADDED = `${[...SUMS, 'volume'].map((column) => `${column} = c.${column} + excluded.${column}`).join(', ')},
     times = ARRAY[${POSITIONS.map((at) => `c.times[${at}] + excluded.times[${at}]`).join(',\n       ')}]`;
