import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { ask, columnsOf, literalOf } from './tables/rows.ts';
import { isOf, MERCHANT_TABLES, type MerchantTable } from './tables/tables.ts';

/** Others wait behind a trigger that waits for a table: so long at most, again and again. */
const LOCK_MS = 200;
const TRIES = 20;
const PAUSE_MS = 100;

/** The tables whose writes are refused first, and those where jobs write what has happened outside. */
export type Part = 'first' | 'late';

const tablesOf = (part: Part): readonly MerchantTable[] =>
  MERCHANT_TABLES.filter(({ refuses }) =>
    part === 'late' ? refuses === 'late' : refuses === 'all' || refuses === 'insert',
  );

/**
 * Lets the database refuse what is written of a merchant (`isMoving`) while its move says so, whoever writes.
 * A trigger waits for the transactions that write its table, so behind this function none is open that began
 * before; each table is locked alone, for a moment, so that nothing can deadlock.
 */
export async function raiseFence(db: Db, merchantId: string, part: Part, holds?: Holds): Promise<void> {
  for (const table of tablesOf(part)) {
    const columns = table.bookkeeping === undefined ? [] : await columnsOf(db, table);
    await inTurn(db, triggersOn(table, merchantId, columns), holds);
  }
}

/** Throws where the move is another command's by now, and keeps it from that until the transaction ends. */
type Holds = (tx: Tx) => Promise<void>;

/** Takes all of it away. */
export async function dropFence(db: Db, merchantId: string, holds?: Holds): Promise<void> {
  const raised = await ask<{ name: string }>(
    db,
    `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger
     WHERE tgname = ANY ($1) AND tgparentid = 0`,
    [namesOf(merchantId)],
  );
  for (const { name } of raised)
    await inTurn(
      db,
      namesOf(merchantId).map((trigger) => `DROP TRIGGER IF EXISTS "${trigger}" ON ${name}`),
      holds,
    );
}

/** The triggers of a table: of what is written, and of what is deleted. */
const namesOf = (merchantId: string) => [`moving ${merchantId}`, `moving ${merchantId} away`] as const;

/** `columns`: those of the table, where it has some that do not matter. */
function triggersOn(table: MerchantTable, merchantId: string, columns: readonly string[]): string[] {
  const [written, deleted] = namesOf(merchantId);
  const trigger = (name: string, what: string, row: 'NEW' | 'OLD') => {
    const literal = literalOf(merchantId);
    // Of other merchants' rows it costs a comparison, where the row names its merchant.
    const [when, condition] =
      typeof table.isOf === 'string'
        ? [`WHEN (${row}.${table.isOf} = ${literal}) `, '']
        : ['', isOf(table, literal)];
    return `CREATE OR REPLACE TRIGGER "${name}" BEFORE ${what} ON ${table.name} FOR EACH ROW
      ${when}EXECUTE FUNCTION refuse_moving(${literal}, '${condition.replaceAll("'", "''")}')`;
  };
  if (table.refuses === 'insert') return [trigger(written, 'INSERT', 'NEW')];
  const mattering = columns.filter((name) => table.bookkeeping?.includes(name) !== true);
  const update = mattering.length === 0 ? 'UPDATE' : `UPDATE OF ${mattering.join(', ')}`;
  return [trigger(written, `INSERT OR ${update}`, 'NEW'), trigger(deleted, 'DELETE', 'OLD')];
}

/** Runs statements that lock a table, for which it waits a moment only, until they have run. */
async function inTurn(db: Db, texts: readonly string[], holds?: Holds): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await db.transaction(async (tx) => {
        await ask(tx, `SET LOCAL lock_timeout = ${LOCK_MS}`);
        await holds?.(tx);
        for (const text of texts) await ask(tx, text);
      });
    } catch (error) {
      if (tries >= TRIES || !isLocked(error)) throw error;
      await sleep(PAUSE_MS);
    }
}

const isLocked = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';
