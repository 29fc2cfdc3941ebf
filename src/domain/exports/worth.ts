import { COIN_IDS, COINS } from '../chain/coins.ts';
import { CURRENCIES, CURRENCY_IDS, RATE_CURRENCY, type CurrencyId } from '../chain/currencies.ts';
import { runOne, sql, type Connection, type Placeholders } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/config/config.ts';

/** How amounts are valued: parameters of every statement that exports some. */
export interface Worth {
  readonly currency: CurrencyId;
  /** Of the currency's minor unit. */
  readonly decimals: number;
  /** US dollars per coin and currency, where they do not change, as JSON. */
  readonly fixed: string;
}

interface Amount {
  readonly amount: string;
  /** JSON: the price in money that the amount was made from; absent: there is none. */
  readonly price?: string;
}

/**
 * SQL: the columns `value`, `value_currency` and `value_rate` of an amount, beside `worthJoin`. Null where no
 * rate of its time is known. What was priced in the currency has the value and the rate of that price.
 */
export function worthColumns(p: Placeholders<Worth>, { amount, price = 'NULL::json' }: Amount): string {
  const isPriced = `${price}->>'currency' = ${p.currency}`;
  return `CASE WHEN ${isPriced} THEN ${price}->>'amount'
          ELSE round(${amount}::numeric * worth.rate, ${p.decimals}::int)::text END AS value,
        ${p.currency}::text AS value_currency,
        CASE WHEN ${isPriced} THEN ${price}->>'rate'
          ELSE trim_scale(round(worth.rate, ${RATE_DECIMALS}))::text END AS value_rate`;
}

const RATE_DECIMALS = 18;

/** SQL: joins what a unit of a coin was worth at a time, in the currency, as `worth.rate`. */
export function worthJoin(p: Placeholders<Worth>, { coin, at }: { coin: string; at: string }): string {
  // OFFSET 0: otherwise Postgres would look each rate up once for every column that names it.
  return `CROSS JOIN LATERAL (SELECT ${usdAt(p, coin, at)}
          / ${usdAt(p, `${p.currency}::text`, at)} AS rate OFFSET 0) worth`;
}

/** A market that was not read for longer has no rate: nobody would call an older one that of its time. */
const MOST_AGE = `interval '3 hours'`;

// Index: hourly_rates_pkey.
const usdAt = (p: Placeholders<Worth>, coin: string, at: string) =>
  `coalesce((${p.fixed}::jsonb->>${coin})::numeric, (SELECT usd FROM hourly_rates
            WHERE coin = ${coin} AND hour <= ${at} AND hour > ${at} - ${MOST_AGE}
            ORDER BY hour DESC LIMIT 1))`;

const termsOfMerchant = sql<
  { mode: 'test' | 'live'; display_currency: CurrencyId | null },
  { merchantId: string }
>(
  'export_terms_of_merchant',
  (p) => `
    SELECT m.mode, f.display_currency
    FROM merchants m LEFT JOIN merchant_faces f ON f.merchant_id = m.id WHERE m.id = ${p.merchantId}`,
);

const SIMULATED = JSON.stringify(
  Object.fromEntries([
    ...COIN_IDS.map((coin) => [coin, COINS[coin].simulatedRate]),
    ...CURRENCY_IDS.map((currency) => [currency, CURRENCIES[currency].simulatedRate]),
  ]),
);
const REAL = JSON.stringify({ [RATE_CURRENCY]: '1' });

/** Returns how a merchant's amounts are valued; null: in the currency that its pages show, or in dollars. */
export async function worthOf(
  connection: Connection,
  { simulateLive }: Pick<Config, 'simulateLive'>,
  merchantId: string,
  asked: CurrencyId | null,
): Promise<Worth> {
  const terms = await runOne(connection, termsOfMerchant, { merchantId });
  const currency = asked ?? terms?.display_currency ?? RATE_CURRENCY;
  const isSimulated = terms?.mode === 'test' || simulateLive;
  return { currency, decimals: CURRENCIES[currency].decimals, fixed: isSimulated ? SIMULATED : REAL };
}
