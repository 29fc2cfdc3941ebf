import type { Db, Tx } from '../db.ts';
import { MergedTransactions } from './merged.ts';
import { isSharing } from './pipelined.ts';

/**
 * Like `db.transaction`, in fewer round trips: BEGIN goes with the first statement, what `pipelined` begins
 * goes at once, and a statement without a result goes with the next one that has one, or with COMMIT. So the
 * locks of statements that come last are held for as long as the server takes, and no round trip of a busy
 * process in addition. The error of a statement without a result appears with a later one.
 *
 * `work` uses `run` alone: the transaction knows no query builder. Throws what a statement, COMMIT or `work`
 * throws; then nothing was done.
 *
 * With `waitsForDisk: false` COMMIT returns before the disk has it: if Postgres crashes within the next half
 * second, the transaction may not have happened. It cannot be lost where a later one that waits has
 * committed.
 */
export async function transact<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
  { waitsForDisk = true }: { waitsForDisk?: boolean } = {},
): Promise<Result> {
  // Part of transactions that are merged already, or of one that its caller has begun.
  if (isSharing(db) || 'isCompleted' in db) return db.transaction(work);
  const merged = new MergedTransactions(db, waitsForDisk);
  try {
    const result = await merged.db.transaction(work);
    await merged.commit();
    return result;
  } catch (error) {
    await merged.rollback(error);
    throw error;
  }
}
