import { ValidationError } from './errors.ts';

const DAY_MS = 86_400_000;

/**
 * A range of time as a request gives it: ISO 8601 dates or times, both inclusive; a bare date is the whole
 * UTC day.
 */
export interface DateRange {
  readonly from_date?: string;
  readonly to_date?: string;
}

/**
 * The first instant inside the range and the first one after it; null where the range is open. The texts are
 * valid `date-or-time`. Throws ValidationError when the range ends before it begins.
 */
export function dateRange(range: DateRange): [from: Date | null, until: Date | null] {
  const from = range.from_date === undefined ? null : new Date(range.from_date);
  const until = range.to_date === undefined ? null : endOf(range.to_date);
  if (from !== null && until !== null && from >= until)
    throw new ValidationError('from_date', 'maximum', 'must not be after to_date');
  return [from, until];
}

/** The first instant after an inclusive end: the next millisecond, for a bare date the next day. */
function endOf(toDate: string): Date {
  const isBareDate = !toDate.toUpperCase().includes('T') && toDate.length === 10;
  return new Date(Date.parse(toDate) + (isBareDate ? DAY_MS : 1));
}
