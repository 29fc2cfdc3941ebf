import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { begin } from './copy.ts';
import { deleteRows, placesOf } from './tables/rows.ts';
import type { MerchantTable } from './tables/table.ts';
import { MERCHANT_TABLES } from './tables/tables.ts';

/** Rows of one transaction, which looks for what refers to each: a second or so, of 55 s that it may take. */
const BATCH_ROWS = 5_000;
/** Rows that are looked for at once. */
const FOUND_ROWS = 50_000;

export interface Deletion {
  readonly merchantId: string;
  /**
   * `keys`: whoever still comes is to be refused, so merchant and keys stay. The audit log is append-only,
   * and stays in any case.
   */
  readonly keeps: 'keys' | 'nothing';
  /** Throws where the rows are not, or no more, this command's to delete, and keeps them so. */
  readonly holds: (tx: Tx) => Promise<void>;
  readonly onProgress?: (rows: number, of: string) => void;
}

/**
 * Deletes a merchant's rows, those that refer to others first, in a transaction for some thousand of them, of
 * which each is held: a merchant may have more than one transaction deletes in its time. Again it goes on
 * where it was interrupted.
 */
export async function deleteMerchant(db: Db, deletion: Deletion): Promise<void> {
  for (const table of MERCHANT_TABLES.toReversed()) {
    const isLog = table.name === 'operator_actions' || table.name === 'audit_heads';
    if (isLog || table.isShared === true || (deletion.keeps === 'keys' && table.stays === true)) continue;
    // Derived rows follow theirs, and are looked for all the same: a trigger may have been away.
    await deleteTable(db, table, deletion);
  }
}

async function deleteTable(
  db: Db,
  table: MerchantTable,
  { merchantId, holds, onProgress }: Deletion,
): Promise<void> {
  const held = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      await begin(tx, merchantId);
      await holds(tx);
      return work(tx);
    });
  for (let rows = 0; ;) {
    const places = await held((tx) => placesOf(tx, table, merchantId, FOUND_ROWS));
    let deleted = 0;
    for (let first = 0; first < places.length; first += BATCH_ROWS) {
      const batch = places.slice(first, first + BATCH_ROWS);
      deleted += await held((tx) => deleteRows(tx, table, merchantId, batch));
      onProgress?.(rows + deleted, `rows deleted of ${table.name}`);
    }
    rows += deleted;
    // Where some were written meanwhile, they are at other places now.
    if (places.length < FOUND_ROWS && deleted === places.length) return;
  }
}
