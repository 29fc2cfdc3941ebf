import { addSeconds } from '../../platform/clock.ts';

/** A day of a time zone. Where clocks change it has 23, 25 or some other number of hours. */
export interface Day {
  /** YYYY-MM-DD, there. */
  readonly date: string;
  readonly from: Date;
  /** The next day's begin. */
  readonly until: Date;
}

/** The days of every time zone begin with one: their offsets are multiples of it, since 1972. */
const QUARTER_SECONDS = 900;
/** Offsets are between -12 and +14 hours. */
const LATEST_OFFSET_SECONDS = 15 * 3_600;
const QUARTERS = (2 * LATEST_OFFSET_SECONDS) / QUARTER_SECONDS;

/**
 * Returns the last `count` days of a time zone up to the one that `now` is in, oldest first. A date that the
 * zone skips, as Samoa did, is none. Throws RangeError for an unknown zone.
 */
export function lastDays(timeZone: string, count: number, now: Date): Day[] {
  const dateAt = dateIn(timeZone);
  const today = dateAt(now);
  // One more: a day lasts until the next begins.
  const dates = Array.from({ length: count + 1 }, (_, i) => dateAfter(today, i + 1 - count));
  const begins: Date[] = [];
  for (const date of dates) begins.push(beginOf(date, dateAt, begins.at(-1)));
  return dates.slice(0, count).flatMap((date, i) => {
    const [from, until] = [begins[i], begins[i + 1]];
    return from === undefined || until === undefined || from >= until ? [] : [{ date, from, until }];
  });
}

/** Before, offsets had seconds; the last day has no next one. Days of other years are those of UTC. */
const hasOffsets = (date: string): boolean => date >= '1900' && date < '9999';

/**
 * The day of a time zone that `date` names; null: it is no date, as YYYY-MM-DD. One that the zone skips has
 * no length. Throws RangeError for an unknown zone.
 */
export function dayOf(timeZone: string, date: string): Day | null {
  const begin = new Date(`${date}T00:00:00Z`);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(begin.getTime());
  if (!isDate || !begin.toISOString().startsWith(date)) return null;
  if (!hasOffsets(date)) return { date, from: begin, until: addSeconds(begin, 86_400) };
  const dateAt = dateIn(timeZone);
  return { date, from: searchBegin(date, dateAt), until: searchBegin(dateAfter(date, 1), dateAt) };
}

/**
 * The first quarter of an hour of the date, or of a later one where there is none. Nearly always it is a day
 * after the begin of the date before.
 */
function beginOf(date: string, dateAt: (at: Date) => string, before?: Date): Date {
  const likely = before === undefined ? null : addSeconds(before, 86_400);
  const isLikely =
    likely !== null && dateAt(likely) >= date && dateAt(addSeconds(likely, -QUARTER_SECONDS)) < date;
  return isLikely ? likely : searchBegin(date, dateAt);
}

function searchBegin(date: string, dateAt: (at: Date) => string): Date {
  const earliest = addSeconds(new Date(`${date}T00:00:00Z`), -LATEST_OFFSET_SECONDS);
  let [before, at] = [0, QUARTERS];
  while (at - before > 1) {
    const middle = (before + at) >> 1;
    if (dateAt(addSeconds(earliest, middle * QUARTER_SECONDS)) < date) before = middle;
    else at = middle;
  }
  return addSeconds(earliest, at * QUARTER_SECONDS);
}

/** The date at a moment, in a form that sorts. Throws RangeError for an unknown zone. */
export function dateIn(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return `${parts.year}-${parts.month}-${parts.day}`;
  };
}

function dateAfter(date: string, days: number): string {
  return addSeconds(new Date(`${date}T00:00:00Z`), days * 86_400)
    .toISOString()
    .slice(0, 10);
}
