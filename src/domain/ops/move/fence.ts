import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Tx } from '../../../platform/postgres/db.ts';
import { ask, columnsOf, literalOf } from './tables/rows.ts';
import { paymentsOf } from './tables/owners.ts';
import { isOf, type MerchantTable, type PaymentTable } from './tables/table.ts';
import { MERCHANT_TABLES, NOTED_TABLES } from './tables/tables.ts';

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

/**
 * Lets the database note each payment of a merchant of which something is written, while their payments are
 * copied (early/notes.ts). What was written before this function ends is seen by whoever reads behind it.
 */
export async function raiseNotes(db: Db, merchantId: string, holds: Holds): Promise<void> {
  for (const table of NOTED_TABLES) await inTurn(db, notesOn(table, merchantId), holds);
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

/** The triggers of a table: each of what is written, and of what is deleted. */
const namesOf = (merchantId: string) =>
  [
    `moving ${merchantId}`,
    `moving ${merchantId} away`,
    `moving ${merchantId} noted`,
    `moving ${merchantId} noted away`,
  ] as const;

/** A trigger on a table that calls a function for each row of a merchant. */
interface Trigger {
  readonly name: string;
  readonly what: string;
  readonly row: 'NEW' | 'OLD';
  readonly calls: string;
}

function create(table: MerchantTable, merchantId: string, { name, what, row, calls }: Trigger): string {
  // Of other merchants' rows it costs a comparison, where the row names its merchant.
  const when =
    typeof table.isOf === 'string' ? `WHEN (${row}.${table.isOf} = ${literalOf(merchantId)}) ` : '';
  return `CREATE OR REPLACE TRIGGER "${name}" BEFORE ${what} ON ${table.name} FOR EACH ROW
      ${when}EXECUTE FUNCTION ${calls}`;
}

const argument = (sql: string) => `'${sql.replaceAll("'", "''")}'`;

/** `columns`: those of the table, where it has some that do not matter. */
function triggersOn(table: MerchantTable, merchantId: string, columns: readonly string[]): string[] {
  const [written, deleted] = namesOf(merchantId);
  const literal = literalOf(merchantId);
  const condition = typeof table.isOf === 'string' ? '' : isOf(table, literal);
  const calls = `refuse_moving(${literal}, ${argument(condition)})`;
  const on = (name: string, what: string, row: 'NEW' | 'OLD') =>
    create(table, merchantId, { name, what, row, calls });
  if (table.refuses === 'insert') return [on(written, 'INSERT', 'NEW')];
  const mattering = columns.filter((name) => table.bookkeeping?.includes(name) !== true);
  const update = mattering.length === 0 ? 'UPDATE' : `UPDATE OF ${mattering.join(', ')}`;
  return [on(written, `INSERT OR ${update}`, 'NEW'), on(deleted, 'DELETE', 'OLD')];
}

function notesOn(table: PaymentTable, merchantId: string): string[] {
  const [, , written, deleted] = namesOf(merchantId);
  const payments = paymentsOf(table.hangs);
  const calls = `note_touched(${literalOf(merchantId)}, ${argument(payments === 't.payment_id' ? '' : payments)})`;
  return [
    create(table, merchantId, { name: written, what: 'INSERT OR UPDATE', row: 'NEW', calls }),
    create(table, merchantId, { name: deleted, what: 'DELETE', row: 'OLD', calls }),
  ];
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
