import type { Client } from 'pg';

/** Rows of one statement: each is one transaction, as large as Postgres takes in a second or so. */
const A_STATEMENT = 100_000;

/**
 * SQL for the columns that differ between copies: `t` is the row that is copied, `i` the number of the copy.
 */
export type Changed = Readonly<Record<string, string>>;

export interface Copies {
  /** Numbers of the copies, from 1 on. */
  readonly from?: number;
  readonly count: number;
  /** SQL over `i`; default: the merchant that the copied payment has. */
  readonly merchant?: string;
  /** SQL over `i`; default: 1 ms after one another, the last one now. */
  readonly createdAt?: string;
  readonly callbackUrl?: string;
  /** Further columns of payments. */
  readonly payment?: Changed;
}

/** SQL: ids end in the number of the copy, and keep the time of what was copied. */
const idOf = (column: string, prefix: string) =>
  `'${prefix}_' || substr(${column}, 5, 10) || lpad(i::text, 16, '0')`;

/** SQL: the id of the event of the copied payment number `i`. */
export const COPIED_EVENT = `(SELECT ${idOf('t.id', 'evt')} FROM (SELECT min(id) AS id FROM events) t)`;

/** Copies the database's first payment with its quote and its event, by SQL. */
export async function copyPayments(db: Client, copies: Copies): Promise<void> {
  const last = (copies.from ?? 1) + copies.count - 1;
  const common: Changed = {
    ...(copies.merchant === undefined ? {} : { merchant_id: copies.merchant }),
    created_at: copies.createdAt ?? `now() - (${last} - i) * interval '1 ms'`,
  };
  const address = `'0x' || lpad(i::text, 40, '0')`;
  await copyRow(db, 'payments', copies, {
    ...common,
    id: idOf('t.id', 'pay'),
    token_id: `'copy-' || i`,
    order_id: `'copy-' || i`,
    address,
    ...copies.payment,
  });
  await copyRow(db, 'quotes', copies, { payment_id: idOf('t.payment_id', 'pay'), address });
  await copyRow(db, 'events', copies, {
    ...common,
    id: idOf('t.id', 'evt'),
    payment_id: idOf('t.payment_id', 'pay'),
    body: `replace(replace(t.body, t.payment_id, ${idOf('t.payment_id', 'pay')}), t.id, ${idOf('t.id', 'evt')})`,
    txid: 'pg_current_xact_id()',
    ...(copies.callbackUrl === undefined ? {} : { callback_url: copies.callbackUrl }),
  });
}

/** Copies the first row of a table; columns that Postgres fills itself are left to it. */
export async function copyRow(
  db: Client,
  table: string,
  { from = 1, count }: Pick<Copies, 'from' | 'count'>,
  changed: Changed,
): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const missing = Object.keys(changed).filter((name) => !columns.includes(name));
  if (missing.length > 0) throw new Error(`${table} has no ${missing.join(', ')}`);
  const last = from + count - 1;
  for (let first = from; first <= last; first += A_STATEMENT)
    await db.query(
      `INSERT INTO ${table} (${columns.join(', ')})
       SELECT ${columns.map((name) => changed[name] ?? `t.${name}`).join(', ')}
       FROM (SELECT * FROM ${table} ORDER BY 1 LIMIT 1) t, generate_series($1::int, $2::int) AS i`,
      [first, Math.min(last, first + A_STATEMENT - 1)],
    );
}

/**
 * Fills tables without their triggers, their foreign keys and the indexes that are no constraints, which are
 * built when it is done: with all of them 10,000,000 payments take an hour.
 */
export async function withoutIndexes(
  db: Client,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index i
     WHERE indrelid = ANY ($1::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  await db.query(`SET session_replication_role = replica; SET synchronous_commit = off`);
  await fill();
  await db.query(`RESET session_replication_role; SET maintenance_work_mem = '1GB'`);
  for (const { definition } of rows) await db.query(definition);
  await db.query('RESET maintenance_work_mem');
}

/** As autovacuum leaves tables that have stood for a while: statistics, and the map of what all can see. */
export async function settleTables(db: Client): Promise<void> {
  await db.query('VACUUM (ANALYZE)');
}
