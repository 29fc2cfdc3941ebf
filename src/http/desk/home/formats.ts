import { SETTLE_BOUNDS, type HalfSettled } from '../../../domain/overview/counts/settle-times.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import type { DeskTexts } from '../shell/texts.ts';

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly percent: Intl.NumberFormat;
  readonly day: Intl.DateTimeFormat;
}

/** One of them takes as long to make as some hundred numbers to write. */
const made = new Map<string, Formats>();

function formatsOf({ language: { id } }: DeskTexts): Formats {
  const known = made.get(id);
  if (known !== undefined) return known;
  const formats = {
    // All decimals of an amount.
    number: new Intl.NumberFormat(id, { maximumFractionDigits: 18 }),
    percent: new Intl.NumberFormat(id, { style: 'percent' }),
    day: new Intl.DateTimeFormat(id, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
  };
  made.set(id, formats);
  return formats;
}

/** A number as the language of the page writes it. */
export function count(texts: DeskTexts, value: number): string {
  return formatsOf(texts).number.format(value);
}

/** A decimal string likewise, with all of its decimals. */
export function decimal(texts: DeskTexts, amount: string): string {
  return formatsOf(texts).number.format(amount as Intl.StringNumericLiteral);
}

/**
 * A part of a whole in percent, rounded down: 99.9 % is not all. Whole numbers are multiplied first: 0.29
 * times 100 is less than 29.
 */
export function percent(texts: DeskTexts, part: number, whole: number): string {
  return formatsOf(texts).percent.format(Math.floor((part * 100) / whole) / 100);
}

/** A time within which something happened; null: there is none. */
export function within({ home: { units } }: DeskTexts, half: HalfSettled | null): string {
  if (half === null) return units.none;
  const seconds = half.withinSeconds;
  if (seconds !== null) return duration(units, seconds);
  return fillPlain(units.longer, { time: duration(units, SETTLE_BOUNDS.at(-1) ?? 0) });
}

function duration(units: DeskTexts['home']['units'], seconds: number): string {
  const [unit, size] =
    seconds < 60 ? (['s', 1] as const) : seconds < 3_600 ? (['min', 60] as const) : (['h', 3_600] as const);
  return fillPlain(units[unit], { count: String(seconds / size) });
}

/** A date of a time zone, in words. */
export function dayText(texts: DeskTexts, date: string): string {
  return formatsOf(texts).day.format(new Date(`${date}T00:00:00Z`));
}

export const day = (texts: DeskTexts, date: string): Html =>
  html`<time datetime="${date}">${dayText(texts, date)}</time>`;
