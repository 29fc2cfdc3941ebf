import { recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { COIN_IDS } from '../coins.ts';
import { RATE_CURRENCY, RATED_CURRENCIES } from '../currencies.ts';
import { isFresh, isOffPeg } from './guard.ts';
import type { CurrencySource, Market, Rate, RatedId, RateSource } from './rates.ts';

interface RateRow extends Rate {
  readonly coin: string;
}

// One row per coin, and per currency: what a quote or a price was made with stands there.
const upsertRates = sql<never, { rates: string }>(
  'upsert_rates',
  (p) => `
    INSERT INTO rates (coin, usd, sources, at)
    SELECT coin, usd, ARRAY (SELECT json_array_elements_text(sources)), at
    FROM json_to_recordset(${p.rates}::json) AS r (coin text, usd numeric, sources json, at timestamptz)
    ON CONFLICT (coin) DO UPDATE SET usd = excluded.usd, sources = excluded.sources, at = excluded.at
      WHERE rates.at < excluded.at`,
);
// The first rate of each hour stays, so that an export can say what something was worth then.
const insertHourlyRates = sql<never, { rates: string }>(
  'insert_hourly_rates',
  (p) => `
    INSERT INTO hourly_rates (coin, hour, usd)
    SELECT coin, date_trunc('hour', at, 'UTC'), usd
    FROM json_to_recordset(${p.rates}::json) AS r (coin text, usd numeric, at timestamptz)
    ON CONFLICT DO NOTHING`,
);
const lastRates = sql<RateRow, { ids: readonly string[] }>(
  'last_rates',
  (p) => `SELECT coin, usd::text, sources, at FROM rates WHERE coin = ANY (${p.ids})`,
);

/** Stores rates that are newer than those stored, and the first of each hour. */
export async function storeRates(connection: Connection, rates: ReadonlyMap<RatedId, Rate>): Promise<void> {
  const rows = [...rates].map(([coin, rate]) => ({ coin, ...rate }));
  if (rows.length === 0) return;
  await run(connection, upsertRates, { rates: recordset(rows) });
  await run(connection, insertHourlyRates, { rates: recordset(rows) });
}

/** Reads the last rate of each, however old. */
export async function readLastRates<Id extends RatedId>(
  connection: Connection,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, Rate>> {
  const found = await run(connection, lastRates, { ids });
  const rateOf = new Map(found.map(({ coin, ...rate }) => [coin, rate]));
  return new Map(
    ids.flatMap((id) => {
      const rate = rateOf.get(id);
      return rate === undefined ? [] : [[id, rate]];
    }),
  );
}

/** Reads the rates that may be quoted: fresh ones, of stablecoins only those on their peg. */
export async function readRates(connection: Connection, now: Date, maxAgeSeconds: number): Promise<Market> {
  const all = await readLastRates(connection, COIN_IDS);
  return new Map(
    [...all].filter(([coin, { usd, at }]) => isFresh(at, now, maxAgeSeconds) && !isOffPeg(coin, usd)),
  );
}

/** The currencies in which live payments can be priced. */
export const marketCurrencies =
  (maxAgeSeconds: number): CurrencySource =>
  async (connection, now) => {
    const all = await readLastRates(connection, RATED_CURRENCIES);
    const fresh = [...all].filter(([, { at }]) => isFresh(at, now, maxAgeSeconds));
    return new Map([[RATE_CURRENCY, { usd: '1', sources: [], at: now }], ...fresh]);
  };

/** The market of live payments: one for all merchants. */
export const marketRates =
  (maxAgeSeconds: number): RateSource =>
  async (connection, _merchantIds, now) => {
    const market = await readRates(connection, now, maxAgeSeconds);
    return () => market;
  };
