import pg from 'pg';
import { migrations, type Migration } from '../migrations/index.ts';
import { openDb } from './db.ts';

/** Any number; it only has to be the same in every release process of this service. */
const MIGRATION_LOCK = 7_201_511;

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
    const options = { migrationSource: source, tableName: 'schema_migrations' };
    // A release that was killed leaves knex's own lock row behind; the advisory lock says that nobody else is at work.
    await db.migrate.forceFreeMigrationsLock(options);
    const [, names] = (await db.migrate.latest(options)) as [number, string[]];
    return names;
  } finally {
    await db.destroy();
    await guard.end();
  }
}

const source = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: (migration: Migration) => migration.name,
  getMigration: (migration: Migration) => Promise.resolve(migration),
};
