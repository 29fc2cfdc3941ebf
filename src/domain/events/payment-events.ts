import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Reply } from '../api/endpoint.ts';
import { foundOr } from '../api/errors.ts';
import { pageOf, parseCursor } from '../api/pages.ts';
import { isId } from '../../platform/values/ids.ts';
import { jsonArrayOf } from './feed.ts';
import { upToPageSize, type SizedRow } from './page-size.ts';
import type { PaymentEventsQuery } from './schemas.ts';

/** As many as a page may have: the events of an ordinary payment are one page. */
const DEFAULT_LIMIT = 100;

interface EventRow extends SizedRow {
  readonly body: string;
  readonly sequence: number;
}

// By the index on a payment's sequence.
const eventsOfPayment = sql<EventRow, { paymentId: string; after: number; limit: number }>(
  'page_of_events_of_payment',
  (p) => `${upToPageSize(
    `SELECT body, sequence FROM events
      WHERE payment_id = ${p.paymentId} AND sequence > ${p.after}
      ORDER BY sequence LIMIT ${p.limit}`,
    'body, sequence',
    'sequence',
  )}
    ORDER BY sequence`,
);

/**
 * Returns one page of a payment's events, in the order of their sequence, in one round trip. The bodies are
 * the stored bytes. The caller has checked that the payment is the merchant's. Throws ValidationError for a
 * cursor of another list.
 */
export async function listPaymentEvents(
  connection: Connection,
  paymentId: string,
  query: PaymentEventsQuery,
): Promise<Reply> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const after = Number(parseCursor(query.cursor, { sequence: /^\d{1,9}$/ })?.sequence ?? 0);
  const rows = await run(connection, eventsOfPayment, { paymentId, after, limit: limit + 1 });
  const hasMore = Number(rows[0]?.found ?? 0) > Math.min(rows.length, limit);
  const { shown, pagination } = pageOf(rows, limit, ({ sequence }) => [sequence], hasMore);
  const data = jsonArrayOf(shown.map(({ body }) => body));
  return { status: 200, text: `{"data":${data},"pagination":${JSON.stringify(pagination)}}` };
}

const eventOfMerchant = sql<{ body: string }, { merchantId: string; id: string }>(
  'event_of_merchant',
  (p) => `SELECT body FROM events WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

/**
 * One event, in the bytes that webhooks send. Throws ApiError event_not_found, also for another merchant's,
 * and where `id` is no event's id.
 */
export async function getEvent(connection: Connection, merchantId: string, id: string): Promise<Reply> {
  const row = isId('evt', id) ? await runOne(connection, eventOfMerchant, { merchantId, id }) : null;
  return { status: 200, text: foundOr('event_not_found', row).body };
}
