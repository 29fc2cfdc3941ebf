import type pg from 'pg';

// CREATE INDEX CONCURRENTLY that fails, or whose release is killed, leaves an invalid index of that name: it
// costs every write, serves no read, and makes the next try fail.

/** Whether a valid index of this name exists. */
export async function existsIndex(client: pg.Client, name: string): Promise<boolean> {
  return (await validity(client, name)) === true;
}

/** Drops the invalid index of this name, if there is one. */
export async function dropInvalidIndex(client: pg.Client, name: string): Promise<void> {
  if ((await validity(client, name)) === false)
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

async function validity(client: pg.Client, name: string): Promise<boolean | null> {
  const query = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)';
  return (await client.query<{ valid: boolean }>(query, [name])).rows[0]?.valid ?? null;
}
