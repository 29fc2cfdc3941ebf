import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { assertNoObstacle } from './checks/obstacles.ts';
import { chooseAgain, chooseRest, dropEvents, type FeedPlace } from './early/chosen.ts';
import { moveCountPosition, moveSimulated, readNetworksAgain } from './numbers.ts';
import { ask, columnsOf, insertRows, literalOf, measureRows, readRows, type Measure } from './tables/rows.ts';
import { holdRun, type Run } from './runs.ts';
import { isChosen, isOf, type MerchantTable } from './tables/table.ts';
import { MERCHANT_TABLES } from './tables/tables.ts';

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
 * Copies what is left of a merchant from one snapshot of the source into the target, in one transaction
 * there, and compares it with the snapshot before it commits: all but the payments that were copied early
 * and have not changed since. Some hundred rows are in memory at once. Events come last: while they are
 * written the target's feeds wait. `onProgress` hears of each batch; what it throws ends the copy, of which
 * nothing is left. Returns how many rows were copied. Throws CopyDiffers, or MoveRefused where something has
 * begun meanwhile that must be over, or another run has taken the move over; none does while it is copied.
 */
export async function copyRest(
  { source, target }: Ends,
  move: Run,
  feed: FeedPlace,
  onProgress: (rows: number, of: string) => void,
): Promise<number> {
  const { merchantId } = move;
  const own = literalOf(merchantId);
  return inSnapshot(source, merchantId, async (from) => {
    await assertNoObstacle(from, merchantId);
    return target.transaction(async (to) => {
      await begin(to, merchantId);
      await holdRun(to, move);
      await chooseAgain(to, await chooseRest(from, merchantId, feed));
      await dropFound(to, merchantId);
      await ask(to, 'CREATE TEMPORARY TABLE known_people ON COMMIT DROP AS SELECT id FROM people');
      let rows = 0;
      for (const table of MERCHANT_TABLES)
        if (table.isDerived !== true)
          for await (const copied of copyTable(from, to, table, isChosen(table, own))) {
            rows += copied;
            onProgress(rows, `rows copied, up to ${table.name},`);
          }
      await dropEvents(from, to);
      await moveCountPosition(from, to, merchantId);
      await moveSimulated(from, to, 'read');
      for (const table of MERCHANT_TABLES) {
        if (table.isShared === true) continue;
        await compareTable(from, to, table, isChosen(table, own));
        onProgress(rows, `rows copied, compared up to ${table.name},`);
      }
      await comparePayments(from, to, own);
      // Last: the target's watcher waits from here to the commit.
      await readNetworksAgain(from, to, merchantId);
      return rows;
    });
  });
}

/**
 * What the target has found of payments that came early: its watcher, which will read that again, and, in the
 * release before, who counts.
 */
const FOUND = ['unapplied_transfers', 'scheduled_jobs', 'payment_counts', 'payment_count_positions'];

async function dropFound(to: Tx, merchantId: string): Promise<void> {
  for (const table of MERCHANT_TABLES)
    if (FOUND.includes(table.name))
      await ask(to, `DELETE FROM ${table.name} t WHERE ${isOf(table, literalOf(merchantId))}`);
}

/** Copies the rows `t` of a table that a condition finds. Yields how many each batch has. */
export async function* copyTable(
  from: Tx,
  to: Tx,
  table: MerchantTable,
  condition: string,
): AsyncGenerator<number> {
  const columns = await columnsOf(from, table);
  for await (const batch of readRows(from, table, condition, columns)) {
    await insertRows(to, table, columns, batch);
    yield batch.length;
  }
}

/** Throws CopyDiffers where the target has others of these rows, or not all. */
export async function compareTable(from: Tx, to: Tx, table: MerchantTable, condition: string): Promise<void> {
  assertSame(table, await measureRows(from, table, condition), await measureRows(to, table, condition));
}

/** How many payments there are in all: those that came early too. */
async function comparePayments(from: Tx, to: Tx, own: string): Promise<void> {
  const all = `SELECT count(*)::int AS rows FROM payments WHERE merchant_id = ${own}`;
  const [[before], [after]] = [await ask<{ rows: number }>(from, all), await ask<{ rows: number }>(to, all)];
  if (before?.rows !== after?.rows)
    throw new CopyDiffers(`payments: ${before?.rows} rows, and ${after?.rows} in the target`);
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
      if (table.isShared !== true)
        measured[table.name] = await measureRows(tx, table, isOf(table, literalOf(merchantId)));
    return measured;
  });
}
