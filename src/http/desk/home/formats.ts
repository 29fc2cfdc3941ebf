import type { HalfSettled } from '../../../domain/overview/counts/settle-times.ts';
import { SETTLE_BOUNDS } from '../../../domain/overview/counts/settle-times.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import type { DeskTexts } from '../shell/texts.ts';

/** A number as the language of the page writes it. */
export function count({ language }: DeskTexts, value: number): string {
  return new Intl.NumberFormat(language.id).format(value);
}

/** A decimal string likewise, with all of its decimals. */
export function decimal({ language }: DeskTexts, amount: string): string {
  const format = new Intl.NumberFormat(language.id, { maximumFractionDigits: 18 });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** A share of 1 in percent, rounded down: 99.9 % is not all. */
export function percent({ language }: DeskTexts, share: number): string {
  return new Intl.NumberFormat(language.id, { style: 'percent' }).format(Math.floor(share * 100) / 100);
}

/** A time within which something happened; null: there is none. */
export function within({ home: { units } }: DeskTexts, half: HalfSettled | null): string {
  if (half === null) return units.none;
  const seconds = half.withinSeconds;
  const longest = SETTLE_BOUNDS.at(-1) ?? 0;
  return seconds === null
    ? fillPlain(units.longer, { time: duration(units, longest) })
    : duration(units, seconds);
}

function duration(units: DeskTexts['home']['units'], seconds: number): string {
  const [unit, size] =
    seconds < 60 ? (['s', 1] as const) : seconds < 3_600 ? (['min', 60] as const) : (['h', 3_600] as const);
  return fillPlain(units[unit], { count: String(seconds / size) });
}

/** A date of a time zone, in words. */
export function dayText({ language }: DeskTexts, date: string): string {
  const format = new Intl.DateTimeFormat(language.id, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  return format.format(new Date(`${date}T00:00:00Z`));
}

export const day = (texts: DeskTexts, date: string): Html =>
  html`<time datetime="${date}">${dayText(texts, date)}</time>`;
