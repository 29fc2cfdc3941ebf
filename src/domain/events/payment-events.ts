import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Reply } from '../../platform/endpoint.ts';
import { ValidationError } from '../../platform/errors.ts';
import { decodeCursor, encodeCursor } from '../../platform/values/cursors.ts';
import { jsonArrayOf } from './feed.ts';
import type { PaymentEventsQuery } from './schemas.ts';

/** As many as a page may have: the events of an ordinary payment are one page. */
const DEFAULT_LIMIT = 100;

/** A page ends with the event that brings it to this size: an event may have 100 kB of metadata. */
const MAX_PAGE_BYTES = 1_000_000;

interface EventRow {
  readonly body: string;
  readonly sequence: number;
  /** How many events were found, those beyond the page's size included. */
  readonly found: string;
}

// By the index on a payment's sequence. octet_length reads no body.
const eventsOfPayment = sql<EventRow, { paymentId: string; after: number; limit: number }>(
  'page_of_events_of_payment',
  (p) => `
    SELECT body, sequence, found FROM (
      SELECT body, sequence, count(*) OVER () AS found,
        sum(octet_length(body)) OVER (ORDER BY sequence) - octet_length(body) AS bytes_before
      FROM (
        SELECT body, sequence FROM events
        WHERE payment_id = ${p.paymentId} AND sequence > ${p.after}
        ORDER BY sequence LIMIT ${p.limit}
      ) next_ones
    ) sized
    WHERE bytes_before < ${MAX_PAGE_BYTES}
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
  const after = query.cursor === undefined ? 0 : parseCursor(query.cursor);
  const rows = await run(connection, eventsOfPayment, { paymentId, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = Number(rows[0]?.found ?? 0) > shown.length;
  const pagination = {
    limit,
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? encodeCursor([last.sequence]) : null,
  };
  const data = jsonArrayOf(shown.map(({ body }) => body));
  return { status: 200, text: `{"data":${data},"pagination":${JSON.stringify(pagination)}}` };
}

function parseCursor(cursor: string): number {
  const position = decodeCursor(cursor, { sequence: /^\d{1,9}$/ });
  if (position === null) throw new ValidationError('cursor', 'format', 'is not a next_cursor of this list');
  return Number(position.sequence);
}
