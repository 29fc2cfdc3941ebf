import { run, sql, type Connection, type Placeholders } from '../../platform/postgres/db.ts';

/** Which payments of a range are exported, as a list of payments is filtered; absent: all. */
export interface ExportFilter {
  readonly orderId?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
}

/** Where a page of payments stands, and its length. */
interface Page {
  readonly merchantId: string;
  readonly to: Date;
  readonly afterTime: Date;
  readonly afterId: string;
  readonly limit: number;
}

interface FoundPayment {
  readonly id: string;
  readonly created_at: Date;
  /** False: the page goes on behind it, and has none of its rows. */
  readonly fits: boolean;
}

/**
 * Finds the next payments of a filter, the oldest first: as many as the page has, or all. Those of an order
 * may have other statuses, which are to be left out: no index has both, and an order may have few of a
 * status among any number, where it is a link.
 */
export function findPayments(
  connection: Connection,
  { orderId, statuses }: ExportFilter,
  page: Page,
): Promise<FoundPayment[]> {
  if (orderId !== undefined) return run(connection, ofOrder, { ...page, orderId, statuses });
  return statuses === undefined
    ? run(connection, ofAll, page)
    : run(connection, ofStatuses, { ...page, statuses });
}

/**
 * SQL: the next payments under a condition, by an index that is read backwards. The position alone says where
 * they begin: with a second bound of created_at Postgres begins at that one, and for each page reads again
 * all that is before the position. A subselect hides its values from the planner, whose statistics may say
 * that next to nothing is behind them: any index would do then, and payments_newest has the most in between.
 */
const nextOnes = (p: Placeholders<Page>, condition: string) => `
      SELECT id, created_at FROM payments
      WHERE merchant_id = ${p.merchantId} AND ${condition}created_at < ${p.to}
        AND (created_at, id) > ((SELECT ${p.afterTime}::timestamptz), (SELECT ${p.afterId}::text))
      ORDER BY created_at, id LIMIT ${p.limit}`;

// Index: payments_newest.
const ofAll = sql<FoundPayment, Page>(
  'export_page_of_payments',
  (p) => `
    SELECT id, created_at, true AS fits FROM (${nextOnes(p, '')}) found
    ORDER BY created_at, id`,
);
// Index: payments_by_order.
const ofOrder = sql<FoundPayment, Page & ExportFilter>(
  'export_page_of_order',
  (p) => `
    SELECT found.id, found.created_at,
      ${p.statuses}::text[] IS NULL OR status = ANY(${p.statuses}) AS fits
    FROM (${nextOnes(p, `order_id = ${p.orderId} AND `)}) found JOIN payments USING (id)
    ORDER BY found.created_at, found.id`,
);
// Index: payments_by_status, for each of them. In one scan with ANY, Postgres would walk payments_newest in
// search of a rare status.
const ofStatuses = sql<FoundPayment, Page & Pick<ExportFilter, 'statuses'>>(
  'export_page_of_statuses',
  (p) => `
    SELECT found.id, found.created_at, true AS fits
    FROM (SELECT DISTINCT unnest(${p.statuses}::text[]) AS status) wanted CROSS JOIN LATERAL (
      ${nextOnes(p, 'status = wanted.status AND ')}) found
    ORDER BY created_at, id LIMIT ${p.limit}`,
);
