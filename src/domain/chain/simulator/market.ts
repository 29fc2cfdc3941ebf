import { groupBy, recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { COIN_IDS, COINS, type CoinId } from '../coins.ts';
import type { Market, Rates, RateSource, TestMarket } from '../rates/rates.ts';

/** The prices of the simulated market, until a test merchant moves its own. */
export const SIMULATED_RATES = Object.fromEntries(
  COIN_IDS.map((coin) => [coin, COINS[coin].simulatedRate]),
) as Record<CoinId, string> satisfies Rates;

/** Returns a market with the prices, as the simulator has made them at `now`. */
export function marketOf(rates: Rates, now: Date): Market {
  return new Map(
    COIN_IDS.flatMap((coin) => {
      const usd = rates[coin];
      return usd === undefined ? [] : [[coin, { usd, sources: ['simulator'], at: now }]];
    }),
  );
}

interface MovedRate {
  readonly merchant_id: string;
  readonly coin: CoinId;
  readonly usd: string;
}

const movedRates = sql<MovedRate, { merchantIds: readonly string[] }>(
  'moved_rates',
  (p) => `SELECT merchant_id, coin, usd::text FROM sandbox_rates WHERE merchant_id = ANY (${p.merchantIds})`,
);

/** Reads the prices that test merchants have moved, over the fixed ones. */
export const simulatedRates: RateSource = async (connection, merchantIds, now) => {
  const moved = await readMoved(connection, merchantIds);
  const unmoved = marketOf(SIMULATED_RATES, now);
  return (merchantId) => {
    const own = moved.get(merchantId);
    return own === undefined ? unmoved : marketOf({ ...SIMULATED_RATES, ...own }, now);
  };
};

async function readMoved(
  connection: Connection,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, Rates>> {
  if (merchantIds.length === 0) return new Map();
  const rows = groupBy(await run(connection, movedRates, { merchantIds }), ({ merchant_id }) => merchant_id);
  return new Map(
    [...rows].map(([id, own]) => [id, Object.fromEntries(own.map(({ coin, usd }) => [coin, usd]))]),
  );
}

const moveRates = sql<never, { merchantId: string; rates: string }>(
  'move_rates',
  (p) => `
    WITH asked AS (
      SELECT * FROM json_to_recordset(${p.rates}::json) AS r (coin text, usd numeric)
    ), restored AS (
      DELETE FROM sandbox_rates s USING asked a
      WHERE s.merchant_id = ${p.merchantId} AND s.coin = a.coin AND a.usd IS NULL
    )
    INSERT INTO sandbox_rates (merchant_id, coin, usd)
    SELECT ${p.merchantId}, coin, usd FROM asked WHERE usd IS NOT NULL ORDER BY coin
    ON CONFLICT (merchant_id, coin) DO UPDATE SET usd = excluded.usd`,
);

export const simulatedMarket: TestMarket = {
  fixed(_connection, _merchantIds, now) {
    const market = marketOf(SIMULATED_RATES, now);
    return Promise.resolve(() => market);
  },
  async move(connection, merchantId, rates) {
    const rows = Object.entries(rates).map(([coin, usd]) => ({ coin, usd }));
    await run(connection, moveRates, { merchantId, rates: recordset(rows) });
    return { ...SIMULATED_RATES, ...(await readMoved(connection, [merchantId])).get(merchantId) };
  },
};
