import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { setParsers } from './parsers.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';
import { valuesOf, type Statement } from './sql.ts';
import { isOutdated } from './unavailable.ts';

export { isMoving, isUnavailable } from './unavailable.ts';
export { groupBy, recordset, sql, type Placeholders, type Statement } from './sql.ts';
export type { PoolOptions as DbOptions } from './pool.ts';

/** The pool, for readers. */
export type Db = Knex;
/** An open transaction, for writers: the signature shows what is atomic. */
export type Tx = Knex.Transaction;
export type Connection = Db | Tx;

setParsers();

// knex hands out the pool that it was given by no public means.
const pools = new WeakMap<object, ConnectionPool>();
export type Connect = ConnectionPool['connect'];
/** How a connection of a pool, or of what stands in for one, is taken (transactions/merged.ts). */
export const connectors = new WeakMap<object, Connect>();

/** Opens the pool. Connects on first use. Close with `db.destroy()`. */
export function openDb(options: PoolOptions): Db {
  const pool = new ConnectionPool(options);
  const db = knex({
    client: 'pg',
    // knex would ask the server for it; nothing here depends on it.
    version: '14',
    connectionPool: pool,
    // Errors must not show the values of a statement.
    compileSqlOnError: false,
    // knex would print each failure to connect, with a stack, in addition to the error that the caller gets.
    log: { warn: () => undefined },
  });
  // knex leaves a pool that it was given open.
  Object.defineProperty(db, 'destroy', { value: () => pool.end() });
  pools.set(db, pool);
  connectors.set(db, (onReleased) => pool.connect(onReleased));
  return db;
}

/** The pool that `openDb` has opened. */
export function poolOf(db: Db): ConnectionPool {
  const pool = pools.get(db);
  if (pool === undefined) throw new Error('only what openDb has opened has a pool');
  return pool;
}

export function connectorOf(db: Db): Connect {
  const connect = connectors.get(db);
  if (connect === undefined) throw new Error('only a pool, or what stands in for one, has connections');
  return connect;
}

/**
 * Runs one statement in one round trip, in the caller's transaction or on a connection of the pool, and
 * returns its rows. knex hands its options to the driver, which prepares the statement under its name once a
 * connection; what knex takes for the text is what its errors begin with.
 */
export async function run<Row, Params>(
  connection: Connection,
  statement: Statement<Row, Params>,
  values: Params,
): Promise<Row[]> {
  const { name, text } = statement;
  // knex would say this without the statement's name.
  if ('isCompleted' in connection && connection.isCompleted())
    throw new Error(`${name} comes after the end of its transaction`);
  const query: pg.QueryConfig = { name, text, values: valuesOf(statement, values) };
  for (;;)
    try {
      return (await connection.raw<pg.QueryResult>(name).options(query)).rows as Row[];
    } catch (error) {
      // A migration has changed a table under a process of the previous release. Nothing was done, and the
      // connection is discarded: a new one prepares the statement again. A transaction has lost its earlier
      // statements, so its caller must repeat it.
      if (!(error instanceof Error && isOutdated(error)) || 'isCompleted' in connection) throw error;
    }
}

/** Like `run`, for statements that return at most one row. */
export async function runOne<Row, Params>(
  connection: Connection,
  statement: Statement<Row, Params>,
  values: Params,
): Promise<Row | null> {
  return (await run(connection, statement, values))[0] ?? null;
}

/** One statement deletes at most this many rows, so that it holds its locks for milliseconds. */
const CHUNK_ROWS = 5_000;

/**
 * Runs `deleteChunk`, which deletes at most `limit` rows and returns how many, until a chunk is not full.
 * Returns the sum.
 */
export async function deleteInChunks(deleteChunk: (limit: number) => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const deleted = await deleteChunk(CHUNK_ROWS);
    sum += deleted;
    if (deleted < CHUNK_ROWS) return sum;
  }
}
