import { divide, isZero, multiply } from '../../../platform/values/money.ts';
import type { RateSourceName } from '../../../platform/config/config.ts';
import { CURRENCY_IDS, RATE_CURRENCY, RATED_CURRENCIES, type CurrencyId } from '../currencies.ts';
import type { Reading } from './guard.ts';
import { betweenBidAndAsk, decimalOf, fields, first, reading, readingsOf, type RateSite } from './sources.ts';

/** Kraken's pairs of currencies: dollars for one unit, or units for a dollar. */
const KRAKEN_PAIRS: Readonly<Partial<Record<CurrencyId, string>>> = {
  EUR: 'ZEURZUSD',
  GBP: 'ZGBPZUSD',
  AUD: 'AUDUSD',
  JPY: 'ZUSDZJPY',
  CAD: 'ZUSDZCAD',
  CHF: 'USDCHF',
};
const UNITS_PER_DOLLAR = /^Z?USD/;

const RATE_DECIMALS = 18;

/**
 * What the sources say of currencies, in requests of their own: one that fails leaves the coins. Kraken has a
 * few; Coinbase and CoinGecko have all, so that two agree on each.
 */
export const CURRENCY_SITES: Readonly<Record<RateSourceName, RateSite>> = {
  kraken: {
    url: 'https://api.kraken.com',
    async read(fetchJson, base, now) {
      const pairs = Object.values(KRAKEN_PAIRS).join(',');
      const { result } = fields(await fetchJson(`${base}/0/public/Ticker?pair=${pairs}`));
      const tickers = fields(result);
      return readingsOf(RATED_CURRENCIES, (currency) => {
        const pair = KRAKEN_PAIRS[currency] ?? '';
        const { a, b } = fields(tickers[pair]);
        const read = betweenBidAndAsk('kraken', first(b), first(a), now);
        return UNITS_PER_DOLLAR.test(pair) ? inverted(read) : read;
      });
    },
  },
  /** Exchange rates: `{ data: { rates: { EUR: units per dollar } } }`, without a time. */
  coinbase: {
    url: 'https://api.coinbase.com',
    async read(fetchJson, base, now) {
      const { data } = fields(await fetchJson(`${base}/v2/exchange-rates?currency=${RATE_CURRENCY}`));
      const rates = fields(fields(data).rates);
      return readingsOf(RATED_CURRENCIES, (currency) =>
        inverted(reading('coinbase', decimalOf(rates[currency]), null, now)),
      );
    },
  },
  /** The price of one coin in every currency: `{ bitcoin: { usd, eur, last_updated_at } }`. */
  coingecko: {
    url: 'https://api.coingecko.com',
    async read(fetchJson, base) {
      const currencies = CURRENCY_IDS.join(',').toLowerCase();
      const prices = await fetchJson(
        `${base}/api/v3/simple/price?ids=bitcoin&vs_currencies=${currencies}&include_last_updated_at=true`,
      );
      const bitcoin = fields(fields(prices).bitcoin);
      const { usd, last_updated_at: at } = bitcoin;
      const dollars = decimalOf(usd);
      return readingsOf(RATED_CURRENCIES, (currency) => {
        const units = decimalOf(bitcoin[currency.toLowerCase()]);
        const price =
          dollars === null || units === null || isZero(units)
            ? null
            : divide(dollars, units, RATE_DECIMALS, 'down');
        return reading('coingecko', price, null, typeof at === 'number' ? new Date(at * 1000) : null);
      });
    },
  },
};

/** What is dollars per unit where the reading is units per dollar. */
function inverted(read: Reading | null): Reading | null {
  if (read === null || isZero(read.usd)) return null;
  const { usd, spread } = read;
  // The same share of the price.
  const inverseOf = (amount: string, by: string) => divide(amount, by, RATE_DECIMALS, 'down');
  return { ...read, usd: inverseOf('1', usd), spread: spread && inverseOf(spread, multiply(usd, usd)) };
}
