import type pg from 'pg';
import { openClient } from './client.ts';
import { run, sql, type Connection } from './db.ts';
import { backendOf } from './pooler.ts';
import { applyMigration, TABLE } from './migrations/apply.ts';
import { loadMigration, migrationNames, type Migration } from './migrations/files.ts';
import { lockMigrations } from './migrations/lock.ts';
import type { Report } from './migrations/session.ts';

export { loadMigration, type Migration } from './migrations/files.ts';
export { MigrationError } from './migrations/session.ts';

/**
 * How long a release waits for another one, and tries a migration again that meets others: longer than a
 * report or a dump of a table, shorter than the patience of whoever deploys.
 */
const PATIENCE_MS = 600_000;

export interface MigrateOptions {
  readonly report?: Report;
  readonly patienceMs?: number;
  /** Default: those of migrations/. */
  readonly migrations?: readonly Migration[];
}

/**
 * Migrates the database to the newest schema and returns the names of the migrations that ran, each in a
 * transaction of its own. The previous release may serve meanwhile (docs/how-to/change-the-schema.md).
 * Several processes may call it at once: a lock lets one of them work, and the others then find nothing to
 * do. Throws MigrationError, with who is in the way, when another release or another transaction blocks it
 * for too long.
 */
export async function migrateToLatest(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { report = () => undefined, patienceMs = PATIENCE_MS, migrations } = options;
  const opened: pg.Client[] = [];
  const open = async () => {
    const client = await openClient(databaseUrl, 'release');
    opened.push(client);
    return client;
  };
  try {
    const guard = await open();
    await lockMigrations(guard, patienceMs, report);
    const [worker, watcher] = [await open(), await open()];
    const workerPid = await backendOf(worker);
    await worker.query(CREATE_TABLE);
    const done = new Set(
      (await worker.query<{ name: string }>(`SELECT name FROM ${TABLE}`)).rows.map(({ name }) => name),
    );
    const ran: string[] = [];
    for (const migration of migrations ?? migrationNames().map(loadMigration)) {
      if (done.has(migration.name)) continue;
      await applyMigration({ worker, workerPid, watcher, report, patienceMs }, migration);
      ran.push(migration.name);
    }
    return ran;
  } finally {
    await Promise.all(opened.map((client) => client.end()));
  }
}

/** In the shape of knex's migrations, which earlier releases ran. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS ${TABLE} (
  id serial PRIMARY KEY, name varchar(255), batch integer, migration_time timestamptz)`;

const doneMigrations = sql<{ name: string }>('done_migrations', `SELECT name FROM ${TABLE}`);

/**
 * The names of the migrations that this code needs and the database lacks (additional ones, of newer code,
 * are fine), and whether the database is empty, because no release has run on it yet.
 */
export async function missingMigrations(
  connection: Connection,
): Promise<{ missing: string[]; isEmpty: boolean }> {
  const done = await run(connection, doneMigrations, []).catch((error: unknown) => {
    if (isUndefinedTable(error)) return [];
    throw error;
  });
  const missing = migrationNames().filter((name) => !done.some((row) => row.name === name));
  return { missing, isEmpty: done.length === 0 };
}

/** True for the error of a statement on a table that no release has made. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}
