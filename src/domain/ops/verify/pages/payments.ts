import { run, runOne, sql, type Db, type Tx } from '../../../../platform/postgres/db.ts';
import type { Page } from '../invariant.ts';

const pageEnd = sql<{ last: string | null; rows: number }, { after: string; limit: number }>(
  'verify_page_of_payments',
  (p) => `
    SELECT max(id) AS last, count(*)::int AS rows FROM (
      SELECT id FROM payments WHERE id > ${p.after} ORDER BY id LIMIT ${p.limit}) page`,
);

/** Above every id. */
export const END = '~';

/**
 * Returns how many payments the page behind an id has, and its last id. The last page has no upper end: rows
 * of payments that do not exist are found as well.
 */
export async function readPageEnd(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ rows: number; until: string; last: string }> {
  const { rows = 0, last = null } = (await runOne(tx, pageEnd, { after, limit })) ?? {};
  return { rows, until: rows < limit ? END : (last ?? END), last: last ?? after };
}

/** Runs what reads a page on a snapshot: what a transaction changes together must be seen together. */
export function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

/** Pages of payments, one after the other. */
export interface Pages {
  /** Behind what the first one is. */
  readonly first: readonly string[];
  /** `next`: behind what the next one is; null: it was the last. */
  readonly read: (
    tx: Tx,
    after: readonly string[],
  ) => Promise<Pick<Page, 'after' | 'until' | 'ids'> & { rows: number; next: readonly string[] | null }>;
}

/** All payments behind an id, by ranges of ids. */
export const rangePages = (first: string, limit: number): Pages => ({
  first: [first],
  async read(tx, [after = '']) {
    const { rows, until } = await readPageEnd(tx, after, limit);
    return { after, until, ids: [], rows, next: until === END ? null : [until] };
  },
});

// Index: payments_newest, from its end.
const ownPayments = sql<
  { id: string; at: string },
  { merchantId: string; at: string; id: string; limit: number }
>(
  'verify_payments_of_merchant',
  (p) => `
    SELECT id, created_at::text AS at FROM payments
    WHERE merchant_id = ${p.merchantId} AND (created_at, id) > (${p.at}::text::timestamptz, ${p.id})
    ORDER BY created_at, id LIMIT ${p.limit}`,
);

/** The payments of a merchant, the oldest first. */
export const pagesOfMerchant = (merchantId: string, limit: number): Pages => ({
  first: ['-infinity', ''],
  async read(tx, [at = '', id = '']) {
    const found = await run(tx, ownPayments, { merchantId, at, id, limit });
    const last = found.length < limit ? undefined : found.at(-1);
    const ids = found.map((one) => one.id);
    return {
      after: '',
      until: '',
      ids,
      rows: ids.length,
      next: last === undefined ? null : [last.at, last.id],
    };
  },
});
