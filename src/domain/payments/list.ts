import { dateRange } from '../api/date-range.ts';
import { run, sql, type Connection, type Statement } from '../../platform/postgres/db.ts';
import { ValidationError } from '../api/errors.ts';
import { pageOf, parseCursor } from '../api/pages.ts';
import { idPattern } from '../../platform/values/ids.ts';
import {
  RESOURCE_COLUMNS,
  toResource,
  type ListPaymentsQuery,
  type PaymentList,
  type ResourceRow,
} from './schemas.ts';
import { EXACT_TOTAL_LIMIT, LargeMerchants } from './totals.ts';

/**
 * Returns one page of a merchant's payments, newest first, in one round trip; in two where it finds out that
 * the merchant has more payments than are counted, which `many` remembers. Dates are inclusive; a bare date
 * is the whole UTC day. Throws ValidationError for an invalid cursor, for `page` with `cursor`, and for
 * `from_date` after `to_date`.
 */
export async function listPayments(
  connection: Connection,
  merchantId: string,
  query: ListPaymentsQuery,
  publicUrl: string,
  many = new LargeMerchants(),
): Promise<PaymentList> {
  if (query.page !== undefined && query.cursor !== undefined)
    throw new ValidationError('cursor', 'not', 'cannot be combined with page');
  const limit = query.limit ?? 20;
  const page = query.page ?? 1;
  const after = parseCursor(query.cursor, { time: /^\d{1,15}$/, id: idPattern('pay') });
  const [from, until] = dateRange(query);
  const begin = beginOf(after, until);
  const values: PageParams = {
    merchantId,
    orderId: query.order_id,
    statuses: query.status,
    from,
    until,
    afterTime: begin?.time,
    afterId: begin?.id,
    limit: limit + 1,
    offset: (page - 1) * limit,
  };
  const isWhole = [query.order_id, query.status, from ?? undefined, until ?? undefined].every(
    (filter) => filter === undefined,
  );
  const isCounted = !(isWhole && many.has(merchantId));
  const rows = await run(connection, pageOfPayments(values, isCounted), values);
  const total = isCounted ? Number(rows[0]?.total ?? 0) : EXACT_TOTAL_LIMIT + 1;
  if (isWhole && isCounted && total > EXACT_TOTAL_LIMIT) await many.look(connection, merchantId);
  const payments = rows.flatMap((row) => (row.id === null ? [] : [row as ResourceRow]));
  const { shown, pagination } = pageOf(payments, limit, ({ created_at, id }) => [created_at.getTime(), id]);
  const isExact = total <= EXACT_TOTAL_LIMIT;
  return {
    data: shown.map((payment) => toResource(payment, publicUrl)),
    pagination: {
      page: after === null ? page : null,
      limit,
      total: Math.min(total, EXACT_TOTAL_LIMIT),
      total_is_exact: isExact,
      total_pages: isExact ? Math.ceil(total / limit) : null,
      has_more: pagination.has_more,
      next_cursor: pagination.next_cursor,
    },
  };
}

/**
 * Where a page by cursor begins. A cursor may be newer than the end of the range, where its list had another;
 * no id is below ''.
 */
function beginOf(after: { time: string; id: string } | null, until: Date | null) {
  if (after === null) return undefined;
  const time = new Date(Number(after.time));
  return until !== null && time >= until ? { time: until, id: '' } : { time, id: after.id };
}

/**
 * Every row has the total, null where it is not counted. When the page of a list that is counted is empty,
 * one row has the total alone, every other column null.
 */
type PageRow = { total: string | null } & (ResourceRow | { id: null });

interface PageParams {
  readonly merchantId: string;
  readonly orderId: string | undefined;
  readonly statuses: readonly string[] | undefined;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly afterTime: Date | undefined;
  readonly afterId: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Returns the statement for the given filters. An order's payments are few and have their own index
 * (payments_by_order); pages of statuses read the first payments of each in payments_by_status, however rare
 * it is, and merge them; every other filter narrows a scan of payments_newest. One statement for all filters
 * (`order_id = p OR p IS NULL`) would get a generic plan after five runs, which uses no index for orders.
 * Only a page by number has an offset. Behind the first page its payments are found by their index alone, and
 * only those that are shown are read: page 1,000 would read 20,000 of them otherwise.
 */
function pageOfPayments(values: PageParams, isCounted: boolean): Statement<PageRow, PageParams> {
  const isByCursor = values.afterTime !== undefined;
  const given = [
    ...(values.orderId === undefined ? [] : ['order']),
    ...(values.statuses === undefined ? [] : [isOneStatus(values.statuses) ? 'status' : 'statuses']),
    ...(values.from === null ? [] : ['from']),
    ...(values.until === null ? [] : ['until']),
    ...(isByCursor ? ['after'] : []),
  ];
  const isFar = values.offset > 0;
  const kind = [...(isFar ? ['far'] : []), ...(isCounted ? ['merchant'] : ['uncounted', 'merchant'])];
  return sql<PageRow, PageParams>(`page_of_payments_${[...kind, ...given].join('_')}`, (p) => {
    const common = [
      `merchant_id = ${p.merchantId}`,
      ...(values.orderId === undefined ? [] : [`order_id = ${p.orderId}`]),
      ...(values.from === null ? [] : [`created_at >= ${p.from}`]),
    ];
    const counted = [...common, ...(values.until === null ? [] : [`created_at < ${p.until}`])];
    // Of two ends Postgres would take that of the range, and read what is before the cursor for each page.
    const shown = isByCursor ? [...common, `(created_at, id) < (${p.afterTime}, ${p.afterId})`] : counted;
    const pageLimit = `LIMIT ${p.limit}${isByCursor ? '' : ` OFFSET ${p.offset}`}`;
    const found = `FROM payments WHERE ${shown.join(' AND ')} ${NEWEST_FIRST} ${pageLimit}`;
    const read = isFar
      ? `FROM (SELECT id ${found}) ids JOIN payments USING (id) ${PAYMENTS_NEWEST_FIRST}`
      : found;
    if (!isCounted)
      return `
        SELECT NULL::bigint AS total, ${COLUMNS}
        ${read}`;
    const upToPage = isByCursor ? p.limit : `(${p.limit}::bigint + ${p.offset}::bigint)`;
    const first = EXACT_TOTAL_LIMIT + 1;
    const [firstOnes, page] =
      values.statuses === undefined
        ? [`SELECT FROM payments WHERE ${counted.join(' AND ')} LIMIT ${first}`, `SELECT ${COLUMNS} ${read}`]
        : [
            isOneStatus(values.statuses)
              ? newestOf(`(${p.statuses}::text[])[1]`, counted, first)
              : `${ofStatuses(p.statuses, counted, first)} LIMIT ${first}`,
            `SELECT ${COLUMNS} FROM (
          ${ofStatuses(p.statuses, shown, upToPage)}
          ${NEWEST_FIRST} ${pageLimit}) ids JOIN payments USING (id)`,
          ];
    return `
      WITH counted AS (
        SELECT count(*) AS total FROM (
          ${firstOnes}) first_ones
      ), page AS (
        ${page}
      )
      SELECT counted.total, page.* FROM counted LEFT JOIN page ON true
      ORDER BY page.created_at DESC, page.id DESC`;
  });
}

const COLUMNS = RESOURCE_COLUMNS.map((column) => `payments.${column}`).join(', ');
const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';
const PAYMENTS_NEWEST_FIRST = 'ORDER BY payments.created_at DESC, payments.id DESC';

/** Counted by the index alone: what merges several statuses takes a fifth of the time of 10,001 payments. */
const isOneStatus = (statuses: readonly string[]) => statuses.length === 1;

/** SQL: the newest `limit` payments of each status. */
const ofStatuses = (statuses: string, conditions: readonly string[], limit: string | number) =>
  `SELECT found.id, found.created_at
          FROM (SELECT DISTINCT unnest(${statuses}::text[]) AS status) wanted CROSS JOIN LATERAL (
            ${newestOf('wanted.status', conditions, limit)}) found`;

/**
 * SQL: the newest `limit` payments of a status. With ANY instead, in one scan, Postgres would walk
 * payments_newest, or the whole table, in search of a rare status. Only columns of payments_by_status: no
 * other index has them all, so that no other looks as good.
 */
const newestOf = (status: string, conditions: readonly string[], limit: string | number) =>
  `SELECT id, created_at FROM payments
            WHERE ${conditions.join(' AND ')} AND status = ${status}
            ${NEWEST_FIRST} LIMIT ${limit}`;
