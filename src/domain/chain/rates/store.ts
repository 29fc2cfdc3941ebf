import { recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { CoinId } from '../coins.ts';
import { isFresh, isOffPeg } from './guard.ts';
import type { Market, Rate, RateSource } from './rates.ts';

interface RateRow extends Rate {
  readonly coin: CoinId;
}

// One row per coin: what a quote was made with stands in the quote.
const upsertRates = sql<never, { rates: string }>(
  'upsert_rates',
  (p) => `
    INSERT INTO rates (coin, usd, sources, at)
    SELECT coin, usd, ARRAY (SELECT json_array_elements_text(sources)), at
    FROM json_to_recordset(${p.rates}::json) AS r (coin text, usd numeric, sources json, at timestamptz)
    ON CONFLICT (coin) DO UPDATE SET usd = excluded.usd, sources = excluded.sources, at = excluded.at
      WHERE rates.at < excluded.at`,
);
const allRates = sql<RateRow>('all_rates', 'SELECT coin, usd::text, sources, at FROM rates');

/** Stores rates that are newer than those stored. */
export async function storeRates(connection: Connection, rates: Market): Promise<void> {
  const rows = [...rates].map(([coin, rate]) => ({ coin, ...rate }));
  if (rows.length > 0) await run(connection, upsertRates, { rates: recordset(rows) });
}

/** Reads the last rate of each coin, however old. */
export async function readLastRates(connection: Connection): Promise<Market> {
  const rows = await run(connection, allRates, []);
  return new Map(rows.map(({ coin, ...rate }) => [coin, rate]));
}

/** Reads the rates that may be quoted: fresh ones, of stablecoins only those on their peg. */
export async function readRates(connection: Connection, now: Date, maxAgeSeconds: number): Promise<Market> {
  const all = await readLastRates(connection);
  return new Map(
    [...all].filter(([coin, { usd, at }]) => isFresh(at, now, maxAgeSeconds) && !isOffPeg(coin, usd)),
  );
}

/** The market of live payments: one for all merchants. */
export const marketRates =
  (maxAgeSeconds: number): RateSource =>
  async (connection, _merchantIds, now) => {
    const market = await readRates(connection, now, maxAgeSeconds);
    return () => market;
  };
