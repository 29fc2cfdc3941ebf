interface Currency {
  /** Its minor unit: the decimals in which prices are written. */
  readonly decimals: number;
  /** US dollars per unit on the simulated market. It is fixed, as the coins' rates are. */
  readonly simulatedRate: string;
}

/**
 * The currencies in which merchants can price, and in which their pages can show a price too. Nothing is paid
 * or settled in them. Codes and minor units are those of ISO 4217, list one. At least two of the sources of
 * rates quote each (rates/currency-sources.ts).
 */
export const CURRENCIES = {
  USD: { decimals: 2, simulatedRate: '1' },
  EUR: { decimals: 2, simulatedRate: '1.14' },
  GBP: { decimals: 2, simulatedRate: '1.33' },
  CHF: { decimals: 2, simulatedRate: '1.25' },
  JPY: { decimals: 0, simulatedRate: '0.0066' },
  CNY: { decimals: 2, simulatedRate: '0.14' },
  INR: { decimals: 2, simulatedRate: '0.0114' },
  AUD: { decimals: 2, simulatedRate: '0.66' },
  CAD: { decimals: 2, simulatedRate: '0.72' },
  NZD: { decimals: 2, simulatedRate: '0.6' },
  SGD: { decimals: 2, simulatedRate: '0.78' },
  HKD: { decimals: 2, simulatedRate: '0.128' },
  KRW: { decimals: 0, simulatedRate: '0.0007' },
  SEK: { decimals: 2, simulatedRate: '0.105' },
  NOK: { decimals: 2, simulatedRate: '0.1' },
  DKK: { decimals: 2, simulatedRate: '0.153' },
  PLN: { decimals: 2, simulatedRate: '0.27' },
  CZK: { decimals: 2, simulatedRate: '0.047' },
  TRY: { decimals: 2, simulatedRate: '0.024' },
  BRL: { decimals: 2, simulatedRate: '0.18' },
  MXN: { decimals: 2, simulatedRate: '0.054' },
  ZAR: { decimals: 2, simulatedRate: '0.057' },
  AED: { decimals: 2, simulatedRate: '0.2723' },
  SAR: { decimals: 2, simulatedRate: '0.2667' },
  HUF: { decimals: 2, simulatedRate: '0.0028' },
  ILS: { decimals: 2, simulatedRate: '0.28' },
  THB: { decimals: 2, simulatedRate: '0.0307' },
  IDR: { decimals: 2, simulatedRate: '0.00006' },
  MYR: { decimals: 2, simulatedRate: '0.236' },
  KWD: { decimals: 3, simulatedRate: '3.25' },
} as const satisfies Record<string, Currency>;

export type CurrencyId = keyof typeof CURRENCIES;

/** Rates are prices in it. */
export const RATE_CURRENCY = 'USD' satisfies CurrencyId;

export const CURRENCY_IDS = Object.keys(CURRENCIES) as readonly CurrencyId[];

/** Those that have a rate of their own. */
export const RATED_CURRENCIES = CURRENCY_IDS.filter((currency) => currency !== RATE_CURRENCY);

/** True for the id of a currency in the table. */
export function isCurrency(value: string): value is CurrencyId {
  return Object.hasOwn(CURRENCIES, value);
}
