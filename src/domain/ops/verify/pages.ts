import { runOne, sql, type Db, type Tx } from '../../../platform/postgres/db.ts';

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
