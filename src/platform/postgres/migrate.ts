import { readdirSync, readFileSync } from 'node:fs';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDb, run, sql, type Connection } from './db.ts';

/** An arbitrary number, the same in every release process of this service. */
const MIGRATION_LOCK = 7_201_511;
/** Holds the names of the migrations that ran. */
const TABLE = 'schema_migrations';
/** The same files from source and from the build: both lie two folders below the project's root. */
const FOLDER = new URL('../../../migrations/', import.meta.url);

/** A file of migrations/: `NNNN_name.sql`, with the sections `-- migrate:up` and `-- migrate:down`. */
export interface Migration {
  /** Without its extension, as the database stores it. */
  readonly name: string;
  readonly up: (connection: Knex) => Promise<void>;
  readonly down: (connection: Knex) => Promise<void>;
}

/**
 * Migrates the database to the newest schema and returns the names of the migrations that ran. Several
 * processes may call it at once: an advisory lock lets one of them work, and the others then find nothing to
 * do.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'release' });
  await guard.connect();
  const db = openDb({ url: databaseUrl, poolSize: 2, acquireMs: 10_000, queryMs: 600_000, name: 'release' });
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const options = { migrationSource: source, tableName: TABLE };
    // A release that was killed leaves knex's own lock row behind; the advisory lock proves that no other
    // release runs.
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

function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}

/** The names of all migrations, in the order in which they run. */
function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

/** The migration with this name. Throws when its file is missing or lacks a section. */
export function loadMigration(name: string): Migration {
  const text = readFileSync(new URL(`${name}.sql`, FOLDER), 'utf8');
  const [, up, down] = /^-- migrate:up\n(.*)^-- migrate:down\n(.*)/ms.exec(text) ?? [];
  if (up === undefined || down === undefined)
    throw new Error(
      `migrations/${name}.sql must have a section "-- migrate:up" and then one "-- migrate:down"`,
    );
  return { name, up: execute(up), down: execute(down) };
}

/** knex reads `?` as a placeholder unless it is escaped. */
function execute(statements: string): Migration['up'] {
  return async (connection) => void (await connection.raw(statements.replaceAll('?', '\\?')));
}

const source = {
  getMigrations: () => Promise.resolve(migrationNames()),
  getMigrationName: (name: string) => name,
  getMigration: (name: string) => Promise.resolve(loadMigration(name)),
};
