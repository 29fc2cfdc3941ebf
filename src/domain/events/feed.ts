import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Reply } from '../../platform/endpoint.ts';
import { ValidationError } from '../../platform/errors.ts';
import type { FeedQuery } from './schemas.ts';

// How a reader that pages while others write misses nothing. A number that is given out when an event is written (an id, a sequence) is
// no place to continue from: the transaction with the smaller number may commit after the one with the larger, behind a reader who has
// passed. So the feed is in the order of (txid, place), and shows only events whose txid is below the oldest transaction that is still
// open (the snapshot's xmin): nothing can be written below it any more. Each row's txid is that of its transaction or a larger one
// (outbox.ts), so this holds for every row.
//
// What it costs: one transaction that has written and stays open, anywhere in the cluster, other databases and prepared transactions
// included, holds every feed back until it ends. Events then come later, and none is lost; readers (pg_dump, reports) hold nothing back.
// And the numbers are one cluster's: pg_upgrade and failover keep them, a dump restored elsewhere does not. There the restored events
// are renumbered (docs/operations.md, "Restoring a dump"), and a cursor from before, which this cluster has not reached, is refused
// instead of skipping events in silence. A failover that loses commits may number events again below a cursor that was given out for
// lost ones: after it readers go back to an earlier cursor.

/** What one page may read in search of the types that are asked for: some 10 ms. Beyond it the page ends, short or empty. */
export const MAX_READ = 5_000;

interface FeedRow {
  /** Whether this cluster has come past the reader's cursor. */
  readonly is_reached: boolean;
  /** Null, and the rest with it, where there is nothing to show. */
  readonly body: string | null;
  readonly txid: string;
  readonly place: string;
  /** False: read in vain, and the last that this page may read. */
  readonly matches: boolean;
  readonly number: string;
}

interface FeedParams {
  readonly merchantId: string;
  readonly txid: string;
  readonly place: string;
  readonly types: readonly string[] | null;
  readonly limit: number;
}

const REACHED = (txid: string) =>
  `SELECT ${txid}::xid8 < pg_snapshot_xmin(pg_current_snapshot()) AS is_reached`;

// Read row by row, by events_feed, until the page is full: an event that is not of the types asked for costs its row and no more, at
// most MAX_READ of them a page. An index for each type would cost every payment more than a reader of few types pays here.
const pageOfFeed = sql<FeedRow, FeedParams>(
  'page_of_feed',
  (p) => `
    SELECT cursor.is_reached, page.* FROM (${REACHED(p.txid)}) cursor
    LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT body, txid, place, ${p.types}::text[] IS NULL OR type = ANY (${p.types}) AS matches,
          row_number() OVER (ORDER BY txid, place) AS number
        FROM events
        WHERE merchant_id = ${p.merchantId} AND (txid, place) > (${p.txid}::xid8, ${p.place}::bigint)
          AND txid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY txid, place LIMIT ${MAX_READ}
      ) events_read
      WHERE matches OR number = ${MAX_READ}
      ORDER BY txid, place LIMIT ${p.limit}
    ) page ON true
    ORDER BY page.txid, page.place`,
);

// All events of the payment, a few dozen, by the index on its sequence. Materialised: a walk down the merchant's whole feed in search of
// them would look cheaper to a planner that believes in an early end.
const pageOfPayment = sql<FeedRow, FeedParams & { paymentId: string }>(
  'page_of_feed_of_payment',
  (p) => `
    WITH own AS MATERIALIZED (
      SELECT body, txid, place, type FROM events
      WHERE payment_id = ${p.paymentId} AND merchant_id = ${p.merchantId}
    )
    SELECT cursor.is_reached, page.* FROM (${REACHED(p.txid)}) cursor
    LEFT JOIN LATERAL (
      SELECT body, txid, place, true AS matches, 0::bigint AS number FROM own
      WHERE (txid, place) > (${p.txid}::xid8, ${p.place}::bigint)
        AND txid < pg_snapshot_xmin(pg_current_snapshot())
        AND (${p.types}::text[] IS NULL OR type = ANY (${p.types}))
      ORDER BY txid, place LIMIT ${p.limit}
    ) page ON true
    ORDER BY page.txid, page.place`,
);

/**
 * One page of a merchant's events, oldest first, in one round trip. A reader that continues with the page's next_cursor gets every event
 * exactly once, each payment's in the order of their sequence, however the transactions that write them overlap. The bodies are the
 * stored bytes. Throws ValidationError for a cursor that is none of this feed.
 */
export async function readFeed(connection: Connection, merchantId: string, query: FeedQuery): Promise<Reply> {
  const limit = query.limit ?? 20;
  const from = query.after === undefined ? BEGINNING : parseCursor(query.after);
  const values = { merchantId, ...from, types: query.type ?? null, limit: limit + 1 };
  const rows =
    query.payment_id === undefined
      ? await run(connection, pageOfFeed, values)
      : await run(connection, pageOfPayment, { ...values, paymentId: query.payment_id });
  if (rows[0]?.is_reached !== true) throw notACursor();
  const read = rows.filter(({ body }) => body !== null);
  const passed = read.slice(0, limit);
  const last = passed.at(-1);
  const pagination = {
    limit,
    has_more: read.length > limit || Number(last?.number) === MAX_READ,
    next_cursor: last === undefined ? (query.after ?? null) : formatCursor(last),
  };
  const bodies = passed.flatMap(({ body, matches }) => (body !== null && matches ? [body] : []));
  return { status: 200, text: `{"data":${listOf(bodies)},"pagination":${JSON.stringify(pagination)}}` };
}

/** A JSON array of texts that are JSON already: parsed and written again they might not be the same bytes. */
export function listOf(bodies: readonly string[]): string {
  return `[${bodies.join(',')}]`;
}

interface Position {
  readonly txid: string;
  readonly place: string;
}
const BEGINNING: Position = { txid: '0', place: '0' };

function formatCursor({ txid, place }: Position): string {
  return Buffer.from(`${txid}.${place}`).toString('base64url');
}

/** At most 18 digits each: what Postgres can read. A cluster needs centuries to come so far. */
function parseCursor(cursor: string): Position {
  const numbers = /^(\d{1,18})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString());
  const [, txid, place] = numbers ?? [];
  if (txid === undefined || place === undefined) throw notACursor();
  return { txid, place };
}

function notACursor(): ValidationError {
  return new ValidationError('after', 'format', 'is not a next_cursor of this feed');
}
