import { ValidationError } from './errors.ts';

const DAY_MS = 86_400_000;

/** A range of time as a request gives it: ISO 8601 dates or times, both inclusive; a bare date is the whole UTC day. */
export interface DateRange {
  readonly from_date?: string;
  readonly to_date?: string;
}

/**
 * First instant that counts, and first that does not any more; null where the range is open. The texts were validated as
 * `date-or-time`. Throws ValidationError for a range that ends before it begins.
 */
export function dateRange(range: DateRange): [from: Date | null, until: Date | null] {
  const from = range.from_date === undefined ? null : new Date(range.from_date);
  const until = range.to_date === undefined ? null : endOf(range.to_date);
  if (from !== null && until !== null && from >= until)
    throw new ValidationError('from_date', 'maximum', 'must not be after to_date');
  return [from, until];
}

/** The first instant after an inclusive end. Times have milliseconds, so the next one is the first that is out. */
function endOf(toDate: string): Date {
  const isBareDate = !toDate.toUpperCase().includes('T') && toDate.length === 10;
  return new Date(Date.parse(toDate) + (isBareDate ? DAY_MS : 1));
}
