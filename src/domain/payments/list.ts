import { dateRange } from '../../platform/date-range.ts';
import { run, sql, type Connection, type Statement } from '../../platform/postgres/db.ts';
import { ValidationError } from '../../platform/errors.ts';
import { decodeCursor, encodeCursor } from '../../platform/values/cursors.ts';
import { idPattern } from '../../platform/values/ids.ts';
import type { Payment } from './lifecycle/payment.ts';
import { toResource, type ListPaymentsQuery, type PaymentList } from './schemas.ts';

/** Counting stops here: beyond it a total tells a person nothing, and counting costs more than the page. */
const EXACT_TOTAL_LIMIT = 10_000;

/**
 * One page of a merchant's payments, newest first, in one round trip. Dates are inclusive; a bare date is the whole UTC day.
 * Throws ValidationError for a cursor that is none of ours, for `page` beside `cursor`, and for `from_date` after `to_date`.
 */
export async function listPayments(
  connection: Connection,
  merchantId: string,
  query: ListPaymentsQuery,
  publicUrl: string,
): Promise<PaymentList> {
  if (query.page !== undefined && query.cursor !== undefined)
    throw new ValidationError('cursor', 'not', 'cannot be combined with page');
  const limit = query.limit ?? 20;
  const page = query.page ?? 1;
  const after = query.cursor === undefined ? null : parseCursor(query.cursor);
  const offset = after === null ? (page - 1) * limit : 0;
  const { statement, values } = pageOfPayments(merchantId, query, after, limit + 1, offset);
  const rows = await run(connection, statement, values);
  const total = Number(rows[0]?.total ?? 0);
  const payments = rows.flatMap((row) => (row.id === null ? [] : [row as Payment]));
  const shown = payments.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = payments.length > limit;
  const isExact = total <= EXACT_TOTAL_LIMIT;
  return {
    data: shown.map((payment) => toResource(payment, publicUrl)),
    pagination: {
      page: after === null ? page : null,
      limit,
      total: Math.min(total, EXACT_TOTAL_LIMIT),
      total_is_exact: isExact,
      total_pages: isExact ? Math.ceil(total / limit) : null,
      has_more: hasMore,
      next_cursor: hasMore && last !== undefined ? formatCursor(last) : null,
    },
  };
}

/** The total comes with every row, and alone (every other column null) when the page is empty. */
type PageRow = { total: string } & (Payment | { id: null });

/**
 * The statement for the filters that are given, and its values. An order's payments are few and have their own index; every other
 * filter narrows a walk down the newest-first index. One statement for all filters (`$2 IS NULL OR order_id = $2`) would after five
 * runs be planned once for all of them, and would then find no index for orders.
 */
function pageOfPayments(
  merchantId: string,
  query: ListPaymentsQuery,
  after: Position | null,
  limit: number,
  offset: number,
): { statement: Statement<PageRow>; values: unknown[] } {
  const [from, until] = dateRange(query);
  const values: unknown[] = [];
  const place = (value: unknown) => `$${values.push(value)}`;
  const filters: Record<string, string> = { merchant: `merchant_id = ${place(merchantId)}` };
  if (query.order_id !== undefined) filters.order = `order_id = ${place(query.order_id)}`;
  if (query.status !== undefined) filters.status = `status = ANY (${place(query.status)})`;
  if (from !== null) filters.from = `created_at >= ${place(from)}`;
  if (until !== null) filters.until = `created_at < ${place(until)}`;
  const counted = Object.values(filters).join(' AND ');
  if (after !== null) filters.after = `(created_at, id) < (${place(after.createdAt)}, ${place(after.id)})`;
  const statement = sql<PageRow>(
    `page_of_payments_${Object.keys(filters).join('_')}`,
    `WITH counted AS (
       SELECT count(*) AS total FROM (
         SELECT FROM payments WHERE ${counted} LIMIT ${place(EXACT_TOTAL_LIMIT + 1)}) first_ones
     ), page AS (
       SELECT * FROM payments WHERE ${Object.values(filters).join(' AND ')}
       ORDER BY created_at DESC, id DESC LIMIT ${place(limit)} OFFSET ${place(offset)}
     )
     SELECT counted.total, page.* FROM counted LEFT JOIN page ON true ORDER BY page.created_at DESC, page.id DESC`,
  );
  return { statement, values };
}

function formatCursor({ created_at, id }: Payment): string {
  return encodeCursor([created_at.getTime(), id]);
}

interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

function parseCursor(cursor: string): Position {
  const position = decodeCursor(cursor, { time: /^\d{1,15}$/, id: idPattern('pay') });
  if (position === null) throw new ValidationError('cursor', 'format', 'is not a next_cursor of this list');
  return { createdAt: new Date(Number(position.time)), id: position.id };
}
