import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { readCurrent, type Source } from '../../platform/replica.ts';
import type { Reply } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import { endedEpoch, formatCursor, notACursor, positionOf, type Position } from './cursor.ts';
import { EPOCH } from './epoch.ts';
import { findHorizon } from './horizon.ts';
import { upToPageSize, type SizedRow } from './page-size.ts';
import type { FeedQuery } from './schemas.ts';

// Why a reader that pages while others write misses no event: a number that is assigned when an event is
// written (an id, a sequence) cannot be a cursor, because the transaction with the smaller number may commit
// after the one with the larger, when a reader has already passed it. So the feed is in the order of (txid,
// place), and shows only events below a txid that no event can take any more. That is the oldest open
// transaction of the cluster (the snapshot's xmin): each row's txid is that of its transaction or a larger
// one (outbox.ts). Where a page would end there and hide events, a second look excludes the transactions
// that have written no event, however long they stay open (horizon.ts).
//
// All of this relies on READ COMMITTED, the default, in which each statement has a snapshot of its own: that
// of a writer is then younger than its lock on events, and that of the page younger than the horizon. A
// writer in REPEATABLE READ could take a number that a reader has passed.
//
// The cost: a transaction that has written events and stays open delays every feed until it ends, for as long
// as the time limits of the service's connections allow (holders.ts finds it). Events then come later, and
// none is lost. The numbers belong to one history of one cluster: pg_upgrade and failover keep them, a
// restored backup does not. A cursor names its epoch, which ends with the restore (epoch.ts). A failover that
// loses commits may assign numbers again below a cursor of a lost event: it ends the epoch, too.

/**
 * Most events that one page reads in search of the requested types, some 10 ms; then it ends, short or empty.
 */
export const MAX_READ = 5_000;

interface FeedRow extends SizedRow {
  /** The epoch in force, when it began, and whether it is another cluster's. */
  readonly epoch: string;
  readonly began_at: Date;
  readonly is_elsewhere: boolean;
  /** Whether this cluster has reached the reader's cursor. */
  readonly is_reached: boolean;
  /** Whether there are events that are not shown yet. */
  readonly is_held: boolean;
  /** Null, like the remaining columns, when there is no event to show. */
  readonly body: string | null;
  readonly txid: string;
  readonly place: string;
  /** False: the event is of another type, and the last that this page may read. */
  readonly matches: boolean;
  readonly number: string;
}

interface FeedParams {
  readonly merchantId: string;
  readonly txid: string;
  readonly place: string;
  readonly types: readonly string[] | null;
  readonly limit: number;
  /** Events from this txid on are not shown; null: from the oldest open transaction on. */
  readonly horizon: string | null;
}

/** SQL: the txid from which on nothing is shown. */
const HORIZON = (horizon: string) => `coalesce(${horizon}::xid8, pg_snapshot_xmin(pg_current_snapshot()))`;

/**
 * SQL: the first columns of a FeedRow; `hidden` selects from the events that are not shown yet. Ordered, so
 * that it reads the first of them in events_feed, and none where there is none.
 */
const STATE = (txid: string, hidden: string) => `
  SELECT current.*, ${txid}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) AS is_reached,
    (SELECT true ${hidden} ORDER BY txid, place LIMIT 1) IS TRUE AS is_held
  FROM (${EPOCH}) current`;

const FEED_COLUMNS = 'body, txid, place, matches, number';

// Reads row by row, by events_feed, until the page is full: an event of another type costs one row, at most
// MAX_READ of them per page. An index per type would cost every payment more than it saves such a reader.
const pageOfFeed = sql<FeedRow, FeedParams>(
  'page_of_feed',
  (p) => `
    SELECT state.*, page.* FROM (${STATE(
      p.txid,
      `FROM events WHERE merchant_id = ${p.merchantId} AND txid >= ${HORIZON(p.horizon)}`,
    )}) state
    LEFT JOIN LATERAL (${upToPageSize(
      `SELECT * FROM (
        SELECT body, txid, place, ${p.types}::text[] IS NULL OR type = ANY (${p.types}) AS matches,
          row_number() OVER (ORDER BY txid, place) AS number
        FROM events
        WHERE merchant_id = ${p.merchantId} AND (txid, place) > (${p.txid}::xid8, ${p.place}::bigint)
          AND txid < ${HORIZON(p.horizon)}
        ORDER BY txid, place LIMIT ${MAX_READ}
      ) events_read
      WHERE matches OR number = ${MAX_READ}
      ORDER BY txid, place LIMIT ${p.limit}`,
      FEED_COLUMNS,
      'txid, place',
    )}) page ON true
    ORDER BY page.txid, page.place`,
);

// All events of the payment, a few dozen, by the index on its sequence. Materialised: otherwise the planner,
// which expects LIMIT to end it early, prefers to scan the merchant's whole feed.
const pageOfPayment = sql<FeedRow, FeedParams & { paymentId: string }>(
  'page_of_feed_of_payment',
  (p) => `
    WITH own AS MATERIALIZED (
      SELECT body, txid, place, type FROM events
      WHERE payment_id = ${p.paymentId} AND merchant_id = ${p.merchantId}
    )
    SELECT state.*, page.* FROM (${STATE(p.txid, `FROM own WHERE txid >= ${HORIZON(p.horizon)}`)}) state
    LEFT JOIN LATERAL (${upToPageSize(
      `SELECT body, txid, place, true AS matches, 0::bigint AS number FROM own
      WHERE (txid, place) > (${p.txid}::xid8, ${p.place}::bigint)
        AND txid < ${HORIZON(p.horizon)}
        AND (${p.types}::text[] IS NULL OR type = ANY (${p.types}))
      ORDER BY txid, place LIMIT ${p.limit}`,
      FEED_COLUMNS,
      'txid, place',
    )}) page ON true
    ORDER BY page.txid, page.place`,
);

/**
 * Returns one page of a merchant's events, oldest first, in one round trip to the primary, or four where an
 * open transaction hides events from a page that has room for them. A reader that continues with the page's
 * next_cursor receives every event exactly once, and those of a payment in the order of their
 * sequence, however the transactions that write them overlap. The bodies are the stored bytes. Throws
 * ValidationError for a cursor that does not belong to this feed, or to an epoch of it that has ended.
 */
export async function readFeed(source: Source, merchantId: string, query: FeedQuery): Promise<Reply> {
  const limit = query.limit ?? 20;
  const read = (connection: Connection, { txid, place }: Position, horizon: string | null) => {
    const values = { merchantId, txid, place, types: query.type ?? null, limit: limit + 1, horizon };
    return query.payment_id === undefined
      ? run(connection, pageOfFeed, values)
      : run(connection, pageOfPayment, { ...values, paymentId: query.payment_id });
  };
  // On the replica up to the primary's oldest open transaction: the primary may still show a transaction as
  // open that the replica shows as ended, and would refuse the cursor of its event.
  const [from, atOnce] = await readCurrent(source, async (connection, xmin) => {
    const position = await positionOf(connection, merchantId, query.after);
    return [position, await read(connection, position, xmin)] as const;
  });
  const { epoch } = from;
  const countOf = ([first]: readonly FeedRow[]) => Number(first?.found ?? 0);
  const isShort = atOnce[0]?.is_held === true && countOf(atOnce) <= limit;
  // A replica does not see the locks of writers; what is left to read is less than a page.
  const rows = isShort ? await read(source.db, from, await findHorizon(source.db)) : atOnce;
  const [state] = rows;
  if (state === undefined || state.is_elsewhere) throw notReady();
  if (epoch !== null && epoch !== state.epoch) throw endedEpoch(state.began_at);
  if (!state.is_reached) throw notACursor();
  const found = rows.filter(({ body }) => body !== null);
  const passed = found.slice(0, limit);
  const last = passed.at(-1);
  const pagination = {
    limit,
    has_more: countOf(rows) > passed.length || Number(last?.number) === MAX_READ,
    next_cursor: last === undefined ? (query.after ?? null) : formatCursor(last),
  };
  const bodies = passed.flatMap(({ body, matches }) => (body !== null && matches ? [body] : []));
  return { status: 200, text: `{"data":${jsonArrayOf(bodies)},"pagination":${JSON.stringify(pagination)}}` };
}

/** Joins JSON texts to a JSON array. They are not parsed: written again, their bytes might differ. */
export function jsonArrayOf(bodies: readonly string[]): string {
  return `[${bodies.join(',')}]`;
}

/** Operators read in the log of the start what to do; until then the feed would skip events. */
function notReady(): ApiError {
  return new ApiError('unavailable', {
    message: 'The database was restored, and the event feed is not ready yet. Try again later.',
  });
}
