import type { Connection, Tx } from '../../../../platform/postgres/db.ts';
import { isId } from '../../../../platform/values/ids.ts';
import { isOf, type MerchantTable } from './table.ts';

/** Rows that travel at once, and are in memory at once. */
const BATCH_ROWS = 500;

/**
 * Runs a statement of which the catalogue says the columns. It is prepared for once: `run` keeps what it
 * prepares.
 */
export async function ask<Row>(
  connection: Connection,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await connection.raw<{ rows: Row[] }>('move a merchant').options({ text, values })).rows;
}

/** SQL: the id of a merchant as a literal, for cursors and triggers, which take no parameters. */
export function literalOf(merchantId: string): string {
  if (!isId('mer', merchantId)) throw new RangeError(`There is no merchant ${merchantId}`);
  return `'${merchantId}'`;
}

const quoted = (name: string) => `"${name}"`;

/**
 * The columns of a table that are copied, in the order of their names: migrations may have added them in
 * another one.
 */
export async function columnsOf(connection: Connection, table: MerchantTable): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    connection,
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
    [table.name],
  );
  return rows.map(({ name }) => name).filter((name) => table.assigned?.includes(name) !== true);
}

/** How many rows of a merchant a table has, and a number that changes with any of their values. */
export interface Measure {
  readonly rows: number;
  readonly digest: string;
}

/** Measures the rows `t` of a table that a condition finds. Their order does not matter. */
export async function measureRows(
  connection: Connection,
  table: MerchantTable,
  condition: string,
): Promise<Measure> {
  const columns = await columnsOf(connection, table);
  const compared = columns.filter(
    (name) => table.instead?.[name] === undefined && table.bookkeeping?.includes(name) !== true,
  );
  const row = `ROW(${compared.map((name) => `t.${quoted(name)}`).join(', ')})`;
  const [found] = await ask<Measure>(
    connection,
    `SELECT count(*)::int AS rows, coalesce(sum(hashtextextended(${row}::text, 0)), 0)::text AS digest
     FROM ${table.name} t WHERE ${condition}`,
  );
  if (found === undefined) throw new Error(`${table.name} was not measured`);
  return found;
}

/**
 * Reads the rows `t` of a table that a condition finds as JSON, some at a time, in the snapshot of the
 * transaction.
 */
export async function* readRows(
  tx: Tx,
  table: MerchantTable,
  condition: string,
  columns: readonly string[],
): AsyncGenerator<string[]> {
  const values = columns.map((name) => `${table.instead?.[name] ?? `t.${quoted(name)}`} AS ${quoted(name)}`);
  const order = table.order === undefined ? '' : ` ORDER BY ${table.order}`;
  await ask(
    tx,
    `DECLARE moving NO SCROLL CURSOR FOR SELECT row_to_json(r)::text AS row FROM (
       SELECT ${values.join(', ')} FROM ${table.name} t WHERE ${condition}${order}) r`,
  );
  for (;;) {
    const rows = await ask<{ row: string }>(tx, `FETCH ${BATCH_ROWS} FROM moving`);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < BATCH_ROWS) break;
  }
  await ask(tx, 'CLOSE moving');
}

/**
 * Inserts rows that `readRows` has read, in their order: what the target numbers keeps it. Of people it needs
 * `known_people`, a temporary table of those who were there before.
 */
export async function insertRows(
  tx: Tx,
  table: MerchantTable,
  columns: readonly string[],
  rows: readonly string[],
): Promise<void> {
  const isNew = table.isKnown === undefined ? '' : ` WHERE NOT (${table.isKnown})`;
  const values = columns.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  const isTaken = table.isReplaced === true || table.isParent === true;
  const taken = isTaken ? ` ON CONFLICT (id) DO UPDATE SET ${values}` : '';
  await ask(
    tx,
    `INSERT INTO ${table.name} (${columns.map(quoted).join(', ')})
     SELECT ${columns.map((name) => `r.${quoted(name)}`).join(', ')}
     FROM json_populate_recordset(NULL::${table.name}, $1::json) WITH ORDINALITY AS r${isNew}
     ORDER BY r.ordinality${taken}`,
    [`[${rows.join(',')}]`],
  );
}

/**
 * Finds the places of a merchant's rows of a table, at most `limit`. One statement reads for many that
 * delete: where a join finds the rows, it reads whole tables each time.
 */
export async function placesOf(
  tx: Tx,
  table: MerchantTable,
  merchantId: string,
  limit: number,
): Promise<string[]> {
  const rows = await ask<{ place: string }>(
    tx,
    `SELECT t.ctid::text AS place FROM ${table.name} t WHERE ${isOf(table, literalOf(merchantId))} LIMIT ${limit}`,
  );
  return rows.map(({ place }) => place);
}

/**
 * Deletes the merchant's rows that are at these places of a table, and returns how many. Whose they are is
 * asked again: a place may have another merchant's row by now, and in another partition there are other rows
 * at the same places.
 */
export async function deleteRows(
  tx: Tx,
  table: MerchantTable,
  merchantId: string,
  places: readonly string[],
): Promise<number> {
  const deleted = await ask(
    tx,
    `DELETE FROM ${table.name} t
     WHERE t.ctid = ANY ($1::tid[]) AND ${isOf(table, literalOf(merchantId))} RETURNING 1`,
    [places],
  );
  return deleted.length;
}
