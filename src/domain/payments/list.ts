import { run, sql, type Connection } from '../../platform/db.ts';
import { ValidationError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Payment } from './payment.ts';
import { toResource, type ListPaymentsQuery, type PaymentList } from './schemas.ts';

/** Counting stops here: beyond it a total tells a person nothing, and counting costs more than the page. */
const EXACT_TOTAL_LIMIT = 10_000;
const DAY_MS = 86_400_000;

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
  const [from, until] = dateRange(query);
  const rows = await run(connection, pageOfPayments, [
    merchantId,
    query.order_id ?? null,
    query.status ?? null,
    from,
    until,
    after?.createdAt ?? null,
    after?.id ?? null,
    limit + 1,
    after === null ? (page - 1) * limit : 0,
    EXACT_TOTAL_LIMIT + 1,
  ]);
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

// An order's payments are few and have their own index; every other filter narrows a walk down the newest-first index.
const pageOfPayments = sql<PageRow>(
  'page_of_payments',
  `WITH counted AS (
     SELECT count(*) AS total FROM (
       SELECT FROM payments
       WHERE merchant_id = $1 AND ($2::text IS NULL OR order_id = $2) AND ($3::text[] IS NULL OR status = ANY ($3))
         AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
       LIMIT $10) first_ones
   ), page AS (
     SELECT * FROM payments
     WHERE merchant_id = $1 AND ($2::text IS NULL OR order_id = $2) AND ($3::text[] IS NULL OR status = ANY ($3))
       AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
       AND ($6::timestamptz IS NULL OR (created_at, id) < ($6, $7))
     ORDER BY created_at DESC, id DESC
     LIMIT $8 OFFSET $9
   )
   SELECT counted.total, page.* FROM counted LEFT JOIN page ON true ORDER BY page.created_at DESC, page.id DESC`,
);

/** First instant that counts, and first that does not any more; null where the range is open. */
function dateRange(query: ListPaymentsQuery): [Date | null, Date | null] {
  const from = query.from_date === undefined ? null : new Date(query.from_date);
  const until = query.to_date === undefined ? null : endOf(query.to_date);
  if (from !== null && until !== null && from >= until)
    throw new ValidationError('from_date', 'maximum', 'must not be after to_date');
  return [from, until];
}

/** The first instant after an inclusive end. Times have milliseconds, so the next one is the first that is out. */
function endOf(toDate: string): Date {
  const isBareDate = !toDate.toUpperCase().includes('T') && toDate.length === 10;
  return new Date(Date.parse(toDate) + (isBareDate ? DAY_MS : 1));
}

function formatCursor({ created_at, id }: Payment): string {
  return Buffer.from(`${created_at.getTime()}.${id}`).toString('base64url');
}

function parseCursor(cursor: string): { createdAt: Date; id: string } {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!/^\d{1,15}$/.test(time) || !isId('pay', id))
    throw new ValidationError('cursor', 'format', 'is not a next_cursor of this list');
  return { createdAt: new Date(Number(time)), id };
}
