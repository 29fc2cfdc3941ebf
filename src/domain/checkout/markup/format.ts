import { html, type Html } from '../../../platform/pages/html.ts';

/** Digits of the Latin script in every language: amounts, addresses and codes use them too. */
const localeFor = (locale: string) => `${locale}-u-nu-latn`;

/** Below this many seconds a deadline is named by its time alone: it is today or tonight. */
const SAME_DAY_SECONDS = 12 * 3600;

/**
 * `amount`, a decimal string, as the language writes it, with every digit that it has: "1.000" is "1,000" in
 * German. `grouped`: with separators between thousands, for people who read; never for what they type.
 */
export function decimal(amount: string, locale: string, { grouped = true } = {}): string {
  const [whole = '0', fraction] = amount.split('.');
  const format = new Intl.NumberFormat(localeFor(locale), { useGrouping: grouped });
  const written = format.format(BigInt(whole));
  return fraction === undefined ? written : `${written}${decimalSeparator(format)}${fraction}`;
}

function decimalSeparator(format: Intl.NumberFormat): string {
  return format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** In UTC; the script writes it in the customer's own zone. */
export function time(at: Date, locale: string, { secondsAway = Infinity } = {}): Html {
  const isNear = secondsAway < SAME_DAY_SECONDS;
  const written = new Intl.DateTimeFormat(localeFor(locale), {
    ...(isNear ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at);
  const near = isNear ? html` data-near` : null;
  const attributes = html`datetime="${at.toISOString()}"${near}`;
  return html`<time ${attributes}>${written} UTC</time>`;
}

/** In hours, minutes, or seconds below one minute, rounded up. */
export function duration(seconds: number, locale: string): string {
  const minutes = Math.ceil(seconds / 60);
  if (seconds > 0 && seconds < 45) return inUnit(Math.ceil(seconds / 5) * 5, 'second', locale);
  return minutes > 90 ? inUnit(Math.round(minutes / 60), 'hour', locale) : inUnit(minutes, 'minute', locale);
}

/** As a clock shows it, which the script counts down: 4:09, or 1:04:09. */
export function clock(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, '0')];
  const [hours, ofHour] = [Math.floor(minutes / 60), minutes % 60];
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(ofHour).padStart(2, '0')}:${rest}`;
}

function inUnit(value: number, unit: string, locale: string): string {
  return new Intl.NumberFormat(localeFor(locale), { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/**
 * An address in groups of four, the first and the last in bold: those are what people compare. The text
 * itself has no spaces, so that it is copied as it is.
 */
export function inFours(address: string): Html {
  const groups = address.match(/^0x.{4}|.{1,4}/g) ?? [];
  const isEnd = (index: number) => index < 2 || index >= groups.length - 2;
  return html`${groups.map((group, index) =>
    isEnd(index) ? html`<b>${group}</b>` : html`<span>${group}</span>`,
  )}`;
}
