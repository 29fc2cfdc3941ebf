import pg from 'pg';
import { migrations, type Migration } from '../migrations/index.ts';
import { openDb, run, sql, type Connection } from './db.ts';

/** Any number; it only has to be the same in every release process of this service. */
const MIGRATION_LOCK = 7_201_511;
/** Where the names of the migrations that ran are kept. */
const TABLE = 'schema_migrations';

/**
 * Brings the database to the newest schema, and answers the names of the migrations that it ran. Several processes may call it at
 * once: an advisory lock lets one work and the others find nothing left to do.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'release' });
  await guard.connect();
  const db = openDb({ url: databaseUrl, poolSize: 2, acquireMs: 10_000, queryMs: 600_000, name: 'release' });
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const options = { migrationSource: source, tableName: TABLE };
    // A release that was killed leaves knex's own lock row behind; the advisory lock says that nobody else is at work.
    await db.migrate.forceFreeMigrationsLock(options);
    const [, names] = (await db.migrate.latest(options)) as [number, string[]];
    return names;
  } finally {
    await db.destroy();
    await guard.end();
  }
}

const doneMigrations = sql<{ name: string }>('done_migrations', `SELECT name FROM ${TABLE}`);

/**
 * The names of the migrations that this code needs and the database has not seen (others, of newer code, are no fault), and whether
 * the database is empty, no release having run on it yet.
 */
export async function missingMigrations(
  connection: Connection,
): Promise<{ missing: string[]; isEmpty: boolean }> {
  const done = await run(connection, doneMigrations, []).catch((error: unknown) => {
    if (isUndefinedTable(error)) return [];
    throw error;
  });
  const missing = migrations.map(({ name }) => name).filter((name) => !done.some((row) => row.name === name));
  return { missing, isEmpty: done.length === 0 };
}

function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}

const source = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: (migration: Migration) => migration.name,
  getMigration: (migration: Migration) => Promise.resolve(migration),
};
