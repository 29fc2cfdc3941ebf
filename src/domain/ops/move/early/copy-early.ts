import { begin, compareTable, copyTable, inSnapshot, type Ends } from '../copy.ts';
import { moveSimulated } from '../numbers.ts';
import { holdRun, type Run } from '../runs.ts';
import { isOfMoving } from '../tables/owners.ts';
import { ask, literalOf } from '../tables/rows.ts';
import { isChosen, type MerchantTable } from '../tables/table.ts';
import { PARENTS, PAYMENT_TABLES } from '../tables/tables.ts';
import type { Tx } from '../../../../platform/postgres/db.ts';
import { choose, chooseAgain, type FeedPlace } from './chosen.ts';
import { copyFeed } from './copy-feed.ts';
import { beginNotes, goOnNoting, horizonOf } from './notes.ts';
import { findResting, FIRST, type Place } from './resting.ts';

/**
 * Payments that are looked through in one transaction, and copied: some seconds, for which another command
 * waits. Each reads some tables that have no index by payment.
 */
const BATCH = 5_000;

/** What is in the target before writes stop. */
export interface Early {
  readonly rows: number;
  /** Events up to it. */
  readonly feed: FeedPlace;
}

/**
 * Copies what rests of a merchant while they work on: their oldest payments first, each with all that hangs
 * on it, and then the feed. What is written meanwhile is noted. It ends when few more payments rest.
 */
export async function copyEarly(
  ends: Ends,
  move: Run,
  onProgress: (rows: number, of: string) => void | Promise<void>,
): Promise<Early> {
  await beginNotes(ends.source, move);
  let rows = 0;
  for (let copied = BATCH; copied >= BATCH;) {
    copied = 0;
    for (let from: Place | null = FIRST; from !== null;) {
      const batch: Batch = await copyResting(ends, move, from);
      copied += batch.payments;
      rows += batch.rows;
      await onProgress(rows, 'rows copied while writes go on, of payments,');
      from = batch.last;
    }
  }
  const { last, events } = await copyFeed(ends, move, (events) =>
    onProgress(rows + events, 'rows copied while writes go on, up to events,'),
  );
  // The stop asks them once, and must not wait for a bad plan.
  await ask(ends.source, 'ANALYZE copied_payments, touched_payments');
  return { rows: rows + events, feed: last };
}

interface Batch {
  readonly payments: number;
  readonly rows: number;
  /** Null: there are no more. */
  readonly last: Place | null;
}

async function copyResting({ source, target }: Ends, move: Run, after: Place): Promise<Batch> {
  const { merchantId } = move;
  const { rows, ids, last, horizon } = await inSnapshot(source, merchantId, async (from) => {
    const found = await findResting(from, merchantId, after, BATCH);
    const horizon = await horizonOf(from);
    if (found.ids.length === 0) return { ...found, rows: 0, horizon };
    await choose(from, found.ids);
    const rows = await target.transaction(async (to) => {
      await begin(to, merchantId);
      await holdRun(to, move);
      await chooseAgain(to, found.ids);
      await copyTables(from, to, PARENTS, merchantId);
      const rows = await copyTables(from, to, PAYMENT_TABLES, merchantId);
      await moveSimulated(from, to, 'old');
      for (const table of PAYMENT_TABLES) await compareTable(from, to, table, isOfMoving(table.hangs));
      return rows;
    });
    return { ...found, rows, horizon };
  });
  await goOnNoting(source, move, { ids, horizon });
  return { payments: ids.length, rows, last };
}

async function copyTables(
  from: Tx,
  to: Tx,
  tables: readonly MerchantTable[],
  merchantId: string,
): Promise<number> {
  let rows = 0;
  for (const table of tables)
    if (table.isDerived !== true)
      for await (const copied of copyTable(from, to, table, isChosen(table, literalOf(merchantId))))
        rows += copied;
  return rows;
}
