import { readCurrent, type Source } from '../../../platform/replica.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { POSITIONS } from './settle-times.ts';
import { EVENTS_BEHIND, TALLY } from './tally.ts';

/** What is counted of a coin in one part of a time. */
export interface CoinCounts {
  readonly coin: string;
  /** Payments that were created in it. */
  readonly created: number;
  /** Of these, those that have settled since. */
  readonly created_settled: number;
  /** Payments that settled in it. */
  readonly settled: number;
  /** What these cost; decimal string in the coin. */
  readonly volume: string;
  /** Of these, how many took how long: numbers for SETTLE_BOUNDS, and for what took longer. */
  readonly times: readonly number[];
}

/** The counts of a range, by the number of their part: 0, 1, 2 ... */
export interface Counts {
  readonly parts: ReadonlyMap<number, readonly CoinCounts[]>;
  /** False: a part of the feed is not counted yet. */
  readonly isWhole: boolean;
}

/** Events behind the position that a read counts itself, some 50 ms; a job counts them every minute. */
const READ_EVENTS = 10_000;

/** Where nothing is counted, one row says only whether that is all. */
type CountRow = { readonly is_whole: boolean } & (
  | ({ readonly part: number } & CoinCounts)
  | { readonly [name in keyof CoinCounts | 'part']: null }
);

interface Params {
  readonly merchantId: string;
  readonly bounds: readonly Date[];
  readonly from: Date;
  readonly until: Date;
}

// One statement, thus one snapshot: an event is below the position of that moment, or behind it. Indexes: the
// primary key of payment_counts, and events_feed.
const countsOfMerchant = sql<CountRow, Params>(
  'payment_counts_of_merchant',
  (p) => `
   WITH position AS (
     SELECT m.id AS merchant_id, coalesce(c.txid, '0'::xid8) AS txid, coalesce(c.place, 0) AS place
     FROM merchants m LEFT JOIN payment_count_positions c ON c.merchant_id = m.id
     WHERE m.id = ${p.merchantId}
   ), page AS MATERIALIZED (
     SELECT m.merchant_id, e.* FROM position m CROSS JOIN LATERAL (
       ${EVENTS_BEHIND('m')} ORDER BY e.txid, e.place LIMIT ${READ_EVENTS}
     ) e
   ), ${TALLY}, counted AS (
     SELECT quarter, coin, created, created_settled, settled, volume, times FROM payment_counts
     WHERE merchant_id = ${p.merchantId} AND quarter >= ${p.from} AND quarter < ${p.until}
     UNION ALL
     SELECT quarter, coin, created, created_settled, settled, volume, times FROM tally
     WHERE quarter >= ${p.from} AND quarter < ${p.until}
   ), parts AS (
     SELECT width_bucket(quarter, ${p.bounds}::timestamptz[]) - 1 AS part, coin,
       sum(created)::int AS created, sum(created_settled)::int AS created_settled,
       sum(settled)::int AS settled, sum(volume)::text AS volume,
       ARRAY[${POSITIONS.map((at) => `sum(times[${at}])::int`).join(', ')}] AS times
     FROM counted GROUP BY 1, 2
   )
   SELECT state.is_whole, parts.*
   FROM (SELECT count(*) < ${READ_EVENTS} AS is_whole FROM page) state LEFT JOIN parts ON true
   ORDER BY parts.part, parts.coin`,
);

/**
 * Returns the counts of a merchant between each two of the bounds, which are quarters of an hour in their
 * order, to the last event. Isolated payments are counted at the times of their test clocks.
 */
export async function readCounts(
  source: Source,
  merchantId: string,
  bounds: readonly Date[],
): Promise<Counts> {
  const [from, until] = [bounds[0], bounds.at(-1)];
  if (from === undefined || until === undefined) throw new RangeError('there are no bounds');
  const rows = await readCurrent(source, (db) =>
    run(db, countsOfMerchant, { merchantId, bounds, from, until }),
  );
  const parts = new Map<number, CoinCounts[]>();
  for (const row of rows) if (row.part !== null) parts.set(row.part, [...(parts.get(row.part) ?? []), row]);
  return { parts, isWhole: rows[0]?.is_whole === true };
}
