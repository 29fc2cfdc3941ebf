import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Reply } from '../../api/endpoint.ts';
import { notACursor, parseCursor } from '../../api/pages.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import { deleteInChunks, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { encodeCursor } from '../../../platform/values/cursors.ts';

/** A listener that was away for longer reads the feed, which has every event. */
const KEPT_SECONDS = 86_400;
/** At most 18 digits each, within Postgres's bigint. */
const POSITION = { txid: /^\d{1,18}$/, number: /^\d{1,18}$/ };
/** An event may have 100 kB of metadata. */
export const MAX_REDELIVERIES = 20;

/**
 * SQL: records that the merchant asked for the events of `deliveries`, a query with merchant_id, event_id and
 * sequence, to be delivered again, each once; those of a payment in the order of their sequence.
 */
export const RECORD_REQUESTS = (deliveries: string, now: string) => `
   INSERT INTO redelivery_requests (merchant_id, event_id, requested_at)
   SELECT merchant_id, event_id, ${now}::timestamptz
   FROM (SELECT DISTINCT merchant_id, event_id, sequence FROM ${deliveries}) asked
   ORDER BY left(event_id, 14), sequence`;

interface PageParams {
  readonly merchantId: string;
  readonly txid: string;
  readonly number: string;
  readonly limit: number;
}

interface RequestRow {
  /** Whether this cluster has reached the reader's cursor. */
  readonly is_reached: boolean;
  /** Null, like the remaining columns, when there is nothing to show. */
  readonly body: string | null;
  readonly txid: string | null;
  readonly number: string | null;
  readonly requested_at: Date | null;
}

// As in the feed (events/feed.ts), nothing can appear behind a cursor: the page ends before the oldest
// transaction that still writes.
const pageOfRequests = sql<RequestRow, PageParams>(
  'page_of_redelivery_requests',
  (p) => `
   SELECT ${p.txid}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) AS is_reached, page.*
   FROM (SELECT) one LEFT JOIN LATERAL (
     SELECT e.body, r.txid, r.number, r.requested_at
     FROM redelivery_requests r JOIN events e ON e.id = r.event_id
     WHERE r.merchant_id = ${p.merchantId} AND (r.txid, r.number) > (${p.txid}::xid8, ${p.number}::bigint)
       AND r.txid < pg_snapshot_xmin(pg_current_snapshot())
     ORDER BY r.txid, r.number LIMIT ${p.limit}
   ) page ON true
   ORDER BY page.txid, page.number`,
);

const deleteOldRequests = sql<{ number: string }, { before: Date; limit: number }>(
  'delete_old_redelivery_requests',
  (p) => `
   DELETE FROM redelivery_requests WHERE ctid = ANY (ARRAY(
     SELECT r.ctid FROM redelivery_requests r
     WHERE requested_at < ${p.before} AND NOT ${IS_MOVING('r.merchant_id')} LIMIT ${p.limit}))
   RETURNING number`,
);

/**
 * Returns one page of the events that the merchant asked to be delivered again within the last day, in the
 * order of the requests. The bodies are the stored bytes. Throws ValidationError for a cursor of another
 * list.
 */
export async function listRedeliveryRequests(
  connection: Connection,
  merchantId: string,
  query: { readonly after?: string; readonly limit?: number },
): Promise<Reply> {
  const limit = query.limit ?? MAX_REDELIVERIES;
  const position = parseCursor(query.after, POSITION, 'after') ?? { txid: '0', number: '0' };
  const rows = await run(connection, pageOfRequests, { merchantId, ...position, limit: limit + 1 });
  if (rows[0]?.is_reached !== true) throw notACursor('after');
  const found = rows.flatMap(({ body, txid, number, requested_at: at }) =>
    body === null || txid === null || number === null || at === null ? [] : [{ body, txid, number, at }],
  );
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const pagination = {
    limit,
    has_more: found.length > limit,
    next_cursor: last === undefined ? (query.after ?? null) : encodeCursor([last.txid, last.number]),
  };
  // Bodies are not parsed: written again, their bytes might differ.
  const data = shown.map(({ at, body }) => `{"requested_at":"${at.toISOString()}","event":${body}}`);
  return { status: 200, text: `{"data":[${data.join()}],"pagination":${JSON.stringify(pagination)}}` };
}

/** Deletes the requests that are older than a day; returns how many. */
export function sweepRedeliveryRequests(ctx: Context): Promise<number> {
  const before = addSeconds(ctx.systemNow(), -KEPT_SECONDS);
  return deleteInChunks(async (limit) => (await run(ctx.db, deleteOldRequests, { before, limit })).length);
}
