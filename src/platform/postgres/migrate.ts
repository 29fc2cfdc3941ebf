import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDb, run, sql, type Connection } from './db.ts';
import { UNLIMITED } from './limits.ts';

/** An arbitrary number, the same in every release process of this service. */
const MIGRATION_LOCK = 7_201_511;
const LOCK_PAUSE_MS = 200;
/** Holds the names of the migrations that ran. */
const TABLE = 'schema_migrations';
/** The same files from source and from the build: both lie two folders below the project's root. */
const FOLDER = new URL('../../../migrations/', import.meta.url);

/**
 * A file of migrations/: `NNNN_name.sql`, with the sections `-- migrate:up` and `-- migrate:down`, or
 * `-- migrate:up transaction:false`.
 */
export interface Migration {
  /** Without its extension, as the database stores it. */
  readonly name: string;
  readonly up: (connection: Knex) => Promise<void>;
  readonly down: (connection: Knex) => Promise<void>;
  /** False: its statements run one by one, as CREATE INDEX CONCURRENTLY must; each can run again. */
  readonly config: { readonly transaction: boolean };
}

/**
 * Migrates the database to the newest schema and returns the names of the migrations that ran. Several
 * processes may call it at once: an advisory lock lets one of them work, and the others then find nothing to
 * do.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'release' });
  await guard.connect();
  const db = openDb({
    url: databaseUrl,
    poolSize: 2,
    acquireMs: 10_000,
    queryMs: 3_600_000,
    limits: UNLIMITED,
    name: 'release',
  });
  try {
    await lockMigrations(guard);
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

/**
 * Asks again and again instead of waiting inside a statement: such a waiter has a snapshot, and CREATE INDEX
 * CONCURRENTLY of the release that holds the lock would wait for its end.
 */
async function lockMigrations(guard: pg.Client): Promise<void> {
  const ask = 'SELECT pg_try_advisory_lock($1) AS locked';
  while (!(await guard.query<{ locked: boolean }>(ask, [MIGRATION_LOCK])).rows[0]?.locked)
    await sleep(LOCK_PAUSE_MS);
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
  const [, alone, up, down] =
    /^-- migrate:up( transaction:false)?\n(.*)^-- migrate:down\n(.*)/ms.exec(text) ?? [];
  if (up === undefined || down === undefined)
    throw new Error(
      `migrations/${name}.sql must have a section "-- migrate:up" and then one "-- migrate:down"`,
    );
  const transaction = alone === undefined;
  return { name, up: execute(up, transaction), down: execute(down, transaction), config: { transaction } };
}

/** knex reads `?` as a placeholder unless it is escaped. Several statements at once are a transaction. */
function execute(section: string, isTransaction: boolean): Migration['up'] {
  const statements = isTransaction ? [section] : section.split(/;$/m).filter((text) => text.trim() !== '');
  return async (connection) => {
    for (const statement of statements) await connection.raw(statement.replaceAll('?', '\\?'));
  };
}

const source = {
  getMigrations: () => Promise.resolve(migrationNames()),
  getMigrationName: (name: string) => name,
  getMigration: (name: string) => Promise.resolve(loadMigration(name)),
};
