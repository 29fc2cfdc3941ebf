import { dayOf } from '../../../../domain/overview/days.ts';
import { getValidator } from '../../../../domain/api/validator.ts';
import { ListPaymentsQuery } from '../../../../domain/payments/schemas.ts';

const check = getValidator({ allowPrivate: false }).compile(ListPaymentsQuery, 'query');

/** Days up to today, which move on: a view of them shows other days tomorrow. */
export const RANGES = ['today', '7', '30', 'month'] as const;
export type Range = (typeof RANGES)[number];

/** The filters of the API's list, as the page's form has them, and the ranges of the page. */
const FILTERS = ['status', 'order_id', 'from_date', 'to_date', 'range'] as const;

/** The filters that a query has, in one order: a form sends its empty fields too. Dates replace a range. */
export function filtersOf(query: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams();
  for (const name of FILTERS)
    for (const value of new Set(query.getAll(name).map((one) => one.trim())))
      if (value !== '') filters.append(name, value);
  const isDated = filters.has('from_date') || filters.has('to_date');
  const range = RANGES.find((one) => one === filters.get('range'));
  filters.delete('range');
  if (range !== undefined && !isDated) filters.append('range', range);
  return filters;
}

/**
 * The same as the API takes them: days are those of `zone`, where the API has days of UTC; `since`: where a
 * range begins. Throws ValidationError, as the API does.
 */
export function listQueryOf(
  query: URLSearchParams,
  zone: string,
  since: Date | null = null,
): ListPaymentsQuery {
  const filters = filtersOf(query);
  filters.delete('range');
  const [first, last] = ['from_date', 'to_date'].map((name) => dayOf(zone, filters.get(name) ?? ''));
  if (first) filters.set('from_date', first.from.toISOString());
  // Both ends of the API's range are inside it.
  if (last) filters.set('to_date', new Date(last.until.getTime() - 1).toISOString());
  if (since !== null) filters.set('from_date', since.toISOString());
  const cursor = query.get('cursor');
  const given = [...new Set(filters.keys())].map((name) => {
    const values = filters.getAll(name);
    return [name, name === 'status' ? values : values[0]] as const;
  });
  return check({ ...Object.fromEntries(given), ...(cursor === null ? {} : { cursor }) });
}
