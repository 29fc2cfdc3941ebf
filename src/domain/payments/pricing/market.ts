import type { CoinId } from '../../chain/coins.ts';
import type { Market, Rates, RateSource } from '../../chain/rates/rates.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { divide, multiply } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';

/** What a payment is quoted and credited by. */
export interface Prices {
  /** US dollars per coin, less the merchant's spread in every coin but the payment's own. */
  readonly rates: Rates;
  /** The market as it is: who says so, and since when. */
  readonly market: Market;
}

/** Returns the prices of a payment of one of the merchants that they were read for. */
export type PricesOf = (payment: Pick<Payment, 'merchant_id' | 'pay_currency'>) => Prices;

const WHOLE_BPS = 10_000;
const RATE_DECIMALS = 18;

const spreads = sql<{ id: string; spread_bps: number }, { merchantIds: readonly string[] }>(
  'spreads_of_merchants',
  (p) => `SELECT id, spread_bps FROM merchants WHERE id = ANY (${p.merchantIds}) AND spread_bps > 0`,
);

/** Reads the prices for payments of the merchants. A coin without a price now has none in them. */
export async function readPrices(
  connection: Connection,
  source: RateSource,
  merchantIds: readonly string[],
  now: Date,
): Promise<PricesOf> {
  const ids = [...new Set(merchantIds)];
  const marketOf = await source(connection, ids, now);
  const rows = ids.length === 0 ? [] : await run(connection, spreads, { merchantIds: ids });
  const spreadOf = new Map(rows.map(({ id, spread_bps }) => [id, spread_bps]));
  return ({ merchant_id, pay_currency }) => {
    const market = marketOf(merchant_id);
    return { market, rates: withSpread(market, pay_currency, spreadOf.get(merchant_id) ?? 0) };
  };
}

function withSpread(market: Market, payCurrency: CoinId, spreadBps: number): Rates {
  return Object.fromEntries(
    [...market].map(([coin, { usd }]) => [
      coin,
      coin === payCurrency || spreadBps === 0
        ? usd
        : divide(multiply(usd, String(WHOLE_BPS - spreadBps)), String(WHOLE_BPS), RATE_DECIMALS, 'down'),
    ]),
  );
}

/** What a quote's rate is made of: the older of the two prices, and everyone who says so. */
export interface RateEvidence {
  readonly rated_at: Date | null;
  readonly rate_sources: readonly string[] | null;
}

/** Returns what a rate between the coins is made of; nulls: it is at par, and needs no price. */
export function evidenceOf(market: Market, coin: CoinId, payCurrency: CoinId): RateEvidence {
  const used = coin === payCurrency ? [] : [coin, payCurrency].flatMap((one) => market.get(one) ?? []);
  if (used.length === 0) return { rated_at: null, rate_sources: null };
  return {
    rated_at: new Date(Math.min(...used.map(({ at }) => at.getTime()))),
    rate_sources: [...new Set(used.flatMap(({ sources }) => sources))],
  };
}

/** True when the coin can be quoted for a payment in the currency: at par, or both have a price now. */
export function canPrice(rates: Rates, coin: CoinId, payCurrency: CoinId): boolean {
  return coin === payCurrency || (rates[coin] !== undefined && rates[payCurrency] !== undefined);
}
