interface Currency {
  /** Decimals in which prices are written (ISO 4217). */
  readonly decimals: number;
  /** US dollars per unit on the simulated market. It is fixed, as the coins' rates are. */
  readonly simulatedRate: string;
}

/**
 * The currencies in which a merchant's pages can show a price too. Nothing is paid or settled in them. An
 * adapter of real rates must have one for each (`DisplayRateSource` in port.ts).
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
} as const satisfies Record<string, Currency>;

export type CurrencyId = keyof typeof CURRENCIES;

export const CURRENCY_IDS = Object.keys(CURRENCIES) as readonly CurrencyId[];

/** True for the id of a currency in the table. */
export function isCurrency(value: string): value is CurrencyId {
  return Object.hasOwn(CURRENCIES, value);
}
