import { add, compare, divide, subtract } from '../../../platform/values/money.ts';
import type { RateSourceName } from '../../../platform/config/config.ts';
import type { CoinId } from '../coins.ts';
import type { FetchJson } from './fetch-json.ts';
import type { Reading } from './guard.ts';
import type { RatedId } from './rates.ts';

/** What a source says at one time; what it does not list, or whose price cannot be read, is absent. */
export type Readings = Readonly<Partial<Record<RatedId, Reading>>>;

/** A market that publishes prices. */
export interface RateSite {
  /** Where it stands; RATE_URL_* overrides it. */
  readonly url: string;
  /** Reads what it lists. Throws RateSourceError when the whole site cannot be read. */
  read(fetchJson: FetchJson, base: string, now: Date): Promise<Readings>;
}

/**
 * Kraken, public ticker: `{ error, result: { PAIR: { a: [ask, ...], b: [bid, ...] } } }`, without a time. A
 * pair that it does not know fails the whole request: a coin that it has not had for long is left out.
 */
const KRAKEN_PAIRS: Readonly<Partial<Record<CoinId, string>>> = {
  BTC: 'XXBTZUSD',
  ETH: 'XETHZUSD',
  USDT: 'USDTZUSD',
  USDC: 'USDCUSD',
  TRX: 'TRXUSD',
  SOL: 'SOLUSD',
  POL: 'POLUSD',
  DAI: 'DAIUSD',
};

/** Coinbase Exchange, product ticker: `{ bid, ask, time }`. To it USDC is the dollar; it has no TRX. */
const COINBASE_COINS = [
  'BTC',
  'ETH',
  'USDT',
  'SOL',
  'POL',
  'DAI',
  'BNB',
] as const satisfies readonly CoinId[];

/** CoinGecko, simple price: `{ id: { usd, last_updated_at } }`. */
const COINGECKO_IDS: Readonly<Record<CoinId, string>> = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  USDT: 'tether',
  USDC: 'usd-coin',
  TRX: 'tron',
  SOL: 'solana',
  POL: 'polygon-ecosystem-token',
  DAI: 'dai',
  BNB: 'binancecoin',
};

export const RATE_SITES: Readonly<Record<RateSourceName, RateSite>> = {
  kraken: {
    url: 'https://api.kraken.com',
    async read(fetchJson, base, now) {
      const pairs = Object.values(KRAKEN_PAIRS).join(',');
      const { result } = fields(await fetchJson(`${base}/0/public/Ticker?pair=${pairs}`));
      const tickers = fields(result);
      return readingsOf(coinsOf(KRAKEN_PAIRS), (coin) => {
        const { a, b } = fields(tickers[KRAKEN_PAIRS[coin] ?? '']);
        return betweenBidAndAsk('kraken', first(b), first(a), now);
      });
    },
  },
  coinbase: {
    url: 'https://api.exchange.coinbase.com',
    async read(fetchJson, base) {
      // One product that is away leaves the others.
      const asked = await Promise.allSettled(
        COINBASE_COINS.map((coin) => fetchJson(`${base}/products/${coin}-USD/ticker`)),
      );
      const failed = asked.find((one) => one.status === 'rejected');
      if (failed !== undefined && asked.every((one) => one.status === 'rejected')) throw failed.reason;
      return readingsOf(COINBASE_COINS, (coin) => {
        const one = asked[COINBASE_COINS.findIndex((known) => known === coin)];
        const { bid, ask, time } = fields(one?.status === 'fulfilled' ? one.value : null);
        return betweenBidAndAsk('coinbase', bid, ask, typeof time === 'string' ? new Date(time) : null);
      });
    },
  },
  coingecko: {
    url: 'https://api.coingecko.com',
    async read(fetchJson, base) {
      const ids = Object.values(COINGECKO_IDS).join(',');
      const prices = fields(
        await fetchJson(
          `${base}/api/v3/simple/price?ids=${ids}&vs_currencies=usd&include_last_updated_at=true`,
        ),
      );
      return readingsOf(coinsOf(COINGECKO_IDS), (coin) => {
        const { usd, last_updated_at: at } = fields(prices[COINGECKO_IDS[coin]]);
        return reading(
          'coingecko',
          decimalOf(usd),
          null,
          typeof at === 'number' ? new Date(at * 1000) : null,
        );
      });
    },
  },
};

/** Returns the middle of a market; null: it has none that can be read. */
export function betweenBidAndAsk(
  source: string,
  bidText: unknown,
  askText: unknown,
  at: Date | null,
): Reading | null {
  const [bid, ask] = [decimalOf(bidText), decimalOf(askText)];
  if (bid === null || ask === null || compare(ask, bid) < 0) return null;
  return reading(source, divide(add(bid, ask), '2', 18, 'down'), subtract(ask, bid), at);
}

/** Returns what a source says at a time; null: one of them is unknown. */
export function reading(
  source: string,
  usd: string | null,
  spread: string | null,
  at: Date | null,
): Reading | null {
  return usd === null || at === null || Number.isNaN(at.getTime()) ? null : { source, usd, spread, at };
}

/** Returns what is read of each. */
export function readingsOf<Id extends RatedId>(
  ids: readonly Id[],
  read: (id: Id) => Reading | null,
): Readings {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const found = read(id);
      return found === null ? [] : [[id, found]];
    }),
  );
}

const coinsOf = (table: Readonly<Partial<Record<CoinId, string>>>) => Object.keys(table) as CoinId[];

/** The first entry of a JSON list. */
export const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

/** The fields of a JSON object; of anything else there are none. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A price as a decimal string; null: it is none, or is written with an exponent. */
export function decimalOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,12}(\.\d{1,24})?$/.test(text) ? text : null;
}
