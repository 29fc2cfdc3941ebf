import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { moveCountPosition, moveSimulated, readNetworksAgain } from './numbers.ts';
import { ask, columnsOf, insertRows, measureRows, readRows, type Measure } from './tables/rows.ts';
import { holdRun, type Run } from './runs.ts';
import { MERCHANT_TABLES, type MerchantTable } from './tables/tables.ts';

/** The two databases of a move. */
export interface Ends {
  readonly source: Db;
  readonly target: Db;
}

/** The rows in the target are not those of the source. */
export class CopyDiffers extends Error {}

/**
 * What a move asks reads and writes all of a merchant's rows: other plans are good for it than for what the
 * service asks, which finds one row after the other. The move's own writes are not refused.
 */
export async function begin(tx: Tx, merchantId: string): Promise<void> {
  await ask(
    tx,
    `SELECT set_config(name, value, true) FROM (VALUES ('checkout.moving', $1), ('enable_seqscan', 'on'),
       ('enable_hashjoin', 'on'), ('enable_mergejoin', 'on'),
       ('enable_incremental_sort', 'on'), ('TimeZone', 'UTC'),
       ('idle_in_transaction_session_timeout', '30s')) AS s (name, value)`,
    [merchantId],
  );
}

/** Runs reads of all of a merchant's rows in one snapshot. */
export function inSnapshot<T>(db: Db, merchantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(
    async (tx) => {
      await begin(tx, merchantId);
      return work(tx);
    },
    { isolationLevel: 'repeatable read' },
  );
}

/**
 * Copies a merchant from one snapshot of the source into the target, in one transaction there, and compares
 * what is there with the snapshot before it commits. Some hundred rows are in memory at once. Events come
 * last: while they are written the target's feeds wait. `onProgress` hears of each batch; what it throws ends
 * the copy, of which nothing is left. Returns how many rows were copied. Throws CopyDiffers, or MoveRefused
 * where another run has taken the move over; none does while it is copied.
 */
export async function copyMerchant(
  { source, target }: Ends,
  move: Run,
  onProgress: (rows: number, of: string) => void,
): Promise<number> {
  const { merchantId } = move;
  return inSnapshot(source, merchantId, (from) =>
    target.transaction(async (to) => {
      await begin(to, merchantId);
      await holdRun(to, move);
      await ask(to, 'CREATE TEMPORARY TABLE known_people ON COMMIT DROP AS SELECT id FROM people');
      let rows = 0;
      for (const table of MERCHANT_TABLES)
        if (table.isDerived !== true)
          for await (const copied of copyTable(from, to, table, merchantId)) {
            rows += copied;
            onProgress(rows, `rows copied, up to ${table.name},`);
          }
      await moveCountPosition(from, to, merchantId);
      await moveSimulated(from, to, merchantId);
      for (const table of MERCHANT_TABLES) {
        if (table.isShared === true) continue;
        const before = await measureRows(from, table, merchantId);
        assertSame(table, before, await measureRows(to, table, merchantId));
        onProgress(rows, `rows copied, compared up to ${table.name},`);
      }
      // Last: the target's watcher waits from here to the commit.
      await readNetworksAgain(from, to, merchantId);
      return rows;
    }),
  );
}

/** Yields how many rows of each batch were copied. */
async function* copyTable(
  from: Tx,
  to: Tx,
  table: MerchantTable,
  merchantId: string,
): AsyncGenerator<number> {
  const columns = await columnsOf(from, table);
  for await (const batch of readRows(from, table, merchantId, columns)) {
    await insertRows(to, table, columns, batch);
    yield batch.length;
  }
}

function assertSame({ name }: MerchantTable, before: Measure, after: Measure): void {
  if (before.rows === after.rows && before.digest === after.digest) return;
  throw new CopyDiffers(
    `${name}: ${before.rows} rows, and ${after.rows} in the target, or not the same ones`,
  );
}

/** What a merchant has in a database, by table. */
export async function measureMerchant(db: Db, merchantId: string): Promise<Record<string, Measure>> {
  return inSnapshot(db, merchantId, async (tx) => {
    const measured: Record<string, Measure> = {};
    for (const table of MERCHANT_TABLES)
      if (table.isShared !== true) measured[table.name] = await measureRows(tx, table, merchantId);
    return measured;
  });
}
