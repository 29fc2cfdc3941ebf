import { readFeed } from '../../src/domain/events/feed.ts';
import type { FeedQuery } from '../../src/domain/events/schemas.ts';
import { runOne, sql, type Connection } from '../../src/platform/postgres/db.ts';
import type { StoredEvent } from './shop.ts';
import { until } from './until.ts';

export interface FeedPage {
  readonly data: StoredEvent[];
  readonly pagination: { limit: number; has_more: boolean; next_cursor: string | null };
}

/** Returns a page of a merchant's feed, as the endpoint does. */
export async function feedPage(db: Connection, merchantId: string, query: FeedQuery = {}): Promise<FeedPage> {
  return JSON.parse((await readFeed({ db }, merchantId, query)).text) as FeedPage;
}

/** Everything in a merchant's feed from a cursor on. */
export async function walkFeed(
  db: Connection,
  merchantId: string,
  query: FeedQuery = {},
): Promise<{ events: StoredEvent[]; pages: FeedPage[]; cursor: string | undefined }> {
  const pages: FeedPage[] = [];
  let cursor = query.after;
  for (;;) {
    const page = await feedPage(db, merchantId, cursor === undefined ? query : { ...query, after: cursor });
    pages.push(page);
    cursor = page.pagination.next_cursor ?? undefined;
    if (!page.pagination.has_more) return { events: pages.flatMap(({ data }) => data), pages, cursor };
  }
}

const heldBack = sql<{ held: boolean }>(
  'test_held_back',
  `SELECT EXISTS (SELECT FROM events WHERE txid >= pg_snapshot_xmin(pg_current_snapshot()))
     OR EXISTS (SELECT FROM redelivery_requests WHERE txid >= pg_snapshot_xmin(pg_current_snapshot()))
     AS held`,
);

/**
 * Resolves when the feeds show all that was written: a transaction of the server itself (autovacuum) may
 * delay them briefly.
 */
export async function untilFeedsAreWhole(db: Connection): Promise<void> {
  await until('the feeds are whole', async () => (await runOne(db, heldBack, []))?.held === false);
}
