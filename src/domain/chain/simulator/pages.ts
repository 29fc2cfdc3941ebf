import type { Db } from '../../../platform/postgres/db.ts';
import type { ChainKey } from '../chain-key.ts';
import type { ChainPage } from '../port.ts';
import { blockHash } from '../transaction-hashes.ts';
import * as store from './store.ts';

/** Most transfers in one page of `poll`. */
const PAGE_SIZE = 500;

/** Returns the page after `cursor` as of `now`; null when the chain has no head yet. */
export async function readPage(
  db: Db,
  chain: ChainKey,
  cursor: string,
  now: Date,
): Promise<{ page: ChainPage; head: store.Head; hasNew: boolean } | null> {
  const read = await store.readPage(db, chain, cursor, PAGE_SIZE + 1);
  if (read === null) return null;
  const page = await withReplacements(db, chain, toPage(chain, read, cursor, now));
  return { page, head: read.head, hasNew: read.hasNew };
}

/** Throws RangeError for text that is not a cursor of this chain. */
export function readCursor(cursor: string | null): string {
  if (cursor === null) return '0';
  if (!/^\d{1,18}$/.test(cursor)) throw new RangeError(`not a cursor of this chain: ${cursor}`);
  return cursor;
}

function toPage(chain: ChainKey, { head, changes }: store.Page, after: string, now: Date): ChainPage {
  const full = changes.slice(0, PAGE_SIZE);
  // A page does not end between a replacement and the drop that follows it.
  const isSplit = full.at(-1)?.transfer.txHash === changes[PAGE_SIZE]?.transfer.replacedBy;
  const shown = isSplit ? full.slice(0, -1) : full;
  const { height, minedAt: time } = head;
  const isLast = changes.length <= PAGE_SIZE;
  const finalHeight = store.finalHeightOf(chain, height);
  return {
    head: { height, hash: blockHash(chain, height), time },
    finalHeight,
    safeHeight: finalHeight,
    transfers: shown.map(({ transfer }) => transfer),
    cursor: shown.at(-1)?.change ?? after,
    // Changes are in the order in which they became known, which is not that of their times.
    scannedUntil: isLast ? now : null,
    next: isLast ? 'head' : 'more',
    providers: [],
  };
}

/**
 * Adds the transfers that replace dropped ones of the page and changed after it, by being mined for example;
 * the next page returns them again.
 */
async function withReplacements(db: Db, chain: ChainKey, page: ChainPage): Promise<ChainPage> {
  const transfers = [...page.transfers];
  for (;;) {
    const shown = new Set(transfers.map(({ txHash }) => txHash));
    const missing = transfers.flatMap(({ replacedBy }) =>
      replacedBy === null || shown.has(replacedBy) ? [] : [replacedBy],
    );
    const found = missing.length === 0 ? [] : await store.findReplacements(db, chain, missing, page.cursor);
    if (found.length === 0) return { ...page, transfers };
    transfers.push(...found);
  }
}
