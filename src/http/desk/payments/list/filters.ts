import { getValidator } from '../../../../domain/api/validator.ts';
import { ListPaymentsQuery } from '../../../../domain/payments/schemas.ts';

const check = getValidator({ allowPrivate: false }).compile(ListPaymentsQuery, 'query');

/** The filters of the API's list, as the page's form has them. */
const FILTERS = ['status', 'order_id', 'from_date', 'to_date'] as const;

/** The filters that a query has, in one order: a form sends its empty fields too. */
export function filtersOf(query: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams();
  for (const name of FILTERS)
    for (const value of new Set(query.getAll(name).map((one) => one.trim())))
      if (value !== '') filters.append(name, value);
  return filters;
}

/** The same as the API's list takes them. Throws ValidationError, as the API does. */
export function listQueryOf(query: URLSearchParams): ListPaymentsQuery {
  const filters = filtersOf(query);
  const cursor = query.get('cursor');
  const given = [...new Set(filters.keys())].map((name) => {
    const values = filters.getAll(name);
    return [name, name === 'status' ? values : values[0]] as const;
  });
  return check({ ...Object.fromEntries(given), ...(cursor === null ? {} : { cursor }) });
}
