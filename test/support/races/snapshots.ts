import type pg from 'pg';

/** States of a database that can be returned to, far faster than by another copy of the database. */
export interface Snapshots {
  save(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Returns a digest of all rows: equal for states that differ only in random ids and in counters. */
  digest(): Promise<string>;
}

/** The migrations' own, and the audit log, of which nothing can be deleted. */
const EXCEPT = ['knex_migrations', 'knex_migrations_lock', 'operator_actions', 'audit_heads'];

/** Columns that count, and so differ between two runs that did the same. */
const COUNTERS = `'{place,txid,version}'::text[]`;
/** Ids of events, deliveries and refunds, and the hashes of payouts, which follow from them. */
const RANDOM = '(evt|dlv|ref)_[0-9A-Z]{26}|[0-9a-f]{64}';

// By the length of the longest chain of foreign keys that leads away from a table.
const TABLES = `
  WITH RECURSIVE reached (oid, depth) AS (
    SELECT oid, 0 FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    UNION
    SELECT f.conrelid, depth + 1 FROM reached JOIN pg_constraint f ON f.confrelid = reached.oid
    WHERE f.contype = 'f' AND f.conrelid <> f.confrelid
  )
  SELECT format('%I', relname) AS name FROM reached JOIN pg_class c USING (oid)
  WHERE NOT c.relispartition AND relname <> ALL ($1)
  GROUP BY relname ORDER BY max(depth), relname`;

/** Saves and restores all tables of the connection's database, over that connection. */
export async function openSnapshots(connection: pg.Client): Promise<Snapshots> {
  const { rows } = await connection.query<{ name: string }>(TABLES, [EXCEPT]);
  const parentsFirst = rows.map(({ name }) => name);
  const schemas = new Map<string, string>();
  const rowsOf = (table: string) =>
    `SELECT '${table}', regexp_replace((to_jsonb(t) - ${COUNTERS} - CASE WHEN jsonb_typeof(to_jsonb(t)->'id') = 'number'
       THEN 'id' ELSE '' END)::text, '${RANDOM}', '', 'g') FROM ${table} t`;
  const digest = `SELECT md5(string_agg(name || row, '' ORDER BY name, row)) AS digest
    FROM (${parentsFirst.map(rowsOf).join(' UNION ALL ')}) AS rows (name, row)`;
  return {
    async digest() {
      return (
        (await connection.query<{ digest: string }>({ name: 'digest', text: digest })).rows[0]?.digest ?? ''
      );
    },
    async save(name) {
      const schema = `saved_${schemas.size}`;
      schemas.set(name, schema);
      const copies = parentsFirst.map((table) => `CREATE TABLE ${schema}.${table} AS TABLE ${table};`);
      await connection.query(`CREATE SCHEMA ${schema}; ${copies.join(' ')}`);
      const filled = await filledIn(connection, schema, parentsFirst);
      await connection.query(restoreFunction(schema, parentsFirst, filled));
    },
    async restore(name) {
      const schema = schemas.get(name);
      await connection.query({ name: `restore_${schema}`, text: `SELECT ${schema}.restore()` });
    },
  };
}

async function filledIn(connection: pg.Client, schema: string, tables: readonly string[]): Promise<string[]> {
  const filled = tables.map((table) => `SELECT '${table}' WHERE EXISTS (SELECT FROM ${schema}.${table})`);
  const text = `SELECT name FROM (${filled.join(' UNION ALL ')}) AS filled (name)`;
  return (await connection.query<{ name: string }>(text)).rows.map(({ name }) => name);
}

/** In a function, whose statements are parsed and planned once: they run before each of 12,000 races. */
function restoreFunction(schema: string, parentsFirst: readonly string[], filled: readonly string[]): string {
  const deletions = parentsFirst.toReversed().map((table) => `DELETE FROM ${table};`);
  const insertions = parentsFirst
    .filter((table) => filled.includes(table))
    .map((table) => `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${schema}.${table};`);
  return `CREATE FUNCTION ${schema}.restore() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN ${deletions.join(' ')} ${insertions.join(' ')} END $$`;
}
