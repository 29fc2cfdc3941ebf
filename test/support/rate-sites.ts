import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** What a served source says of a coin that costs `usd` dollars. */
export interface ServedRates {
  /** A site that answers with this instead: a status without a body, or another body. */
  broken: Partial<Record<'kraken' | 'coinbase' | 'coingecko', number | string>>;
  /** Dollars per coin, per site. */
  readonly prices: Record<'kraken' | 'coinbase' | 'coingecko', Record<string, number>>;
  /** Dollars per unit, per site; Kraken has the euro, the pound and the yen. */
  readonly currencies: Record<'kraken' | 'coinbase' | 'coingecko', Record<string, number>>;
  /** When the sites that say so made their prices. */
  at: Date;
  readonly urls: Readonly<Record<'kraken' | 'coinbase' | 'coingecko', string>>;
  close(): Promise<void>;
}

/** For processes that are to ask no market: nobody listens there. */
export const NO_RATES = Object.fromEntries(
  ['KRAKEN', 'COINBASE', 'COINGECKO'].map((name) => [`RATE_URL_${name}`, 'http://127.0.0.1:9']),
);

const PRICES = { BTC: 60_000, ETH: 3_000, USDT: 1, USDC: 1, TRX: 0.25, SOL: 150, POL: 0.4, DAI: 1, BNB: 600 };
const CURRENCIES = { EUR: 1.14, GBP: 1.33, JPY: 0.0066, SEK: 0.105, KWD: 3.25 };
const KRAKEN_CURRENCIES = { ZEURZUSD: 'EUR', ZGBPZUSD: 'GBP', ZUSDZJPY: 'JPY' };
const KRAKEN = { BTC: 'XXBTZUSD', ETH: 'XETHZUSD', USDT: 'USDTZUSD' } as Readonly<Record<string, string>>;
const GECKO = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  USDT: 'tether',
  USDC: 'usd-coin',
  TRX: 'tron',
  SOL: 'solana',
  POL: 'polygon-ecosystem-token',
  DAI: 'dai',
  BNB: 'binancecoin',
} as Readonly<Record<string, string>>;

/** Serves the three sources of rates over HTTP, in the shapes that they publish. */
export async function serveRates(at: Date): Promise<ServedRates> {
  const served: Omit<ServedRates, 'urls' | 'close'> = {
    broken: {},
    prices: { kraken: { ...PRICES }, coinbase: { ...PRICES }, coingecko: { ...PRICES } },
    currencies: { kraken: { ...CURRENCIES }, coinbase: { ...CURRENCIES }, coingecko: { ...CURRENCIES } },
    at,
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://served');
    const [, site = '', ...path] = pathname.split('/');
    if (site !== 'kraken' && site !== 'coinbase' && site !== 'coingecko') {
      response.writeHead(404).end();
      return;
    }
    const broken = served.broken[site];
    if (broken !== undefined) {
      if (typeof broken === 'number') response.writeHead(broken).end();
      else response.end(broken);
      return;
    }
    const prices = served.prices[site];
    const currencies = served.currencies[site];
    const [coin = ''] = (path[1] ?? '').split('-');
    const body = {
      kraken: () =>
        searchParams.get('pair')?.includes('ZEURZUSD') === true
          ? krakenCurrencies(currencies)
          : kraken(prices),
      coingecko: () =>
        searchParams.get('vs_currencies') === 'usd'
          ? coingecko(prices, served.at)
          : coingeckoCurrencies(currencies, served.at),
      coinbase: () =>
        path[1] === 'exchange-rates' ? coinbaseCurrencies(currencies) : coinbase(prices[coin], served.at),
    };
    const json = body[site]();
    if (json === null) response.writeHead(404).end('{"message":"NotFound"}');
    else response.end(JSON.stringify(json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(served, {
    urls: { kraken: `${base}/kraken`, coinbase: `${base}/coinbase`, coingecko: `${base}/coingecko` },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

const bidAndAsk = (price: number) => [(price * 0.9995).toFixed(8), (price * 1.0005).toFixed(8)] as const;

function kraken(prices: Readonly<Record<string, number>>) {
  const result = Object.entries(prices).map(([coin, price]) => {
    const [bid, ask] = bidAndAsk(price);
    return [KRAKEN[coin] ?? `${coin}USD`, { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'] }];
  });
  return { error: [], result: Object.fromEntries(result) };
}

function coinbase(price: number | undefined, at: Date) {
  if (price === undefined) return null;
  const [bid, ask] = bidAndAsk(price);
  return { bid, ask, price: String(price), time: at.toISOString() };
}

function coingecko(prices: Readonly<Record<string, number>>, at: Date) {
  const last_updated_at = Math.floor(at.getTime() / 1000);
  return Object.fromEntries(
    Object.entries(prices).map(([coin, usd]) => [GECKO[coin] ?? coin, { usd, last_updated_at }]),
  );
}

function krakenCurrencies(currencies: Readonly<Record<string, number>>) {
  const result = Object.entries(KRAKEN_CURRENCIES).flatMap(([pair, currency]) => {
    const usd = currencies[currency];
    if (usd === undefined) return [];
    const [bid, ask] = bidAndAsk(pair.startsWith('ZUSD') ? 1 / usd : usd);
    return [[pair, { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'] }]];
  });
  return { error: [], result: Object.fromEntries(result) };
}

function coinbaseCurrencies(currencies: Readonly<Record<string, number>>) {
  const rates = Object.entries(currencies).map(([currency, usd]) => [currency, (1 / usd).toFixed(16)]);
  return { data: { currency: 'USD', rates: Object.fromEntries(rates) } };
}

function coingeckoCurrencies(currencies: Readonly<Record<string, number>>, at: Date) {
  const prices = Object.entries(currencies).map(([currency, usd]) => [currency.toLowerCase(), 60_000 / usd]);
  const last_updated_at = Math.floor(at.getTime() / 1000);
  return { bitcoin: { usd: 60_000, ...Object.fromEntries(prices), last_updated_at } };
}
