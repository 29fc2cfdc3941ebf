import knex, { type Knex } from 'knex';
import pg from 'pg';
import { driverOf } from './client.ts';
import { prepareConnection, retireSlowly, type KnexClient, type PooledConnection } from './connections.ts';
import { limitsBelow, type Limits } from './session.ts';
import { setParsers } from './parsers.ts';
import { inspectPooling } from './pooler.ts';
import { valuesOf, type Statement } from './sql.ts';
import { isBroken, isOutdated } from './unavailable.ts';

export { isUnavailable } from './unavailable.ts';
export { groupBy, recordset, sql, type Statement } from './sql.ts';

/** The pool, for readers. */
export type Db = Knex;
/** An open transaction, for writers: the signature shows what is atomic. */
export type Tx = Knex.Transaction;
export type Connection = Db | Tx;

setParsers();

export interface DbOptions {
  readonly url: string;
  readonly poolSize: number;
  /**
   * How long a caller waits for a connection, and for the result of a statement; then `isUnavailable` is true
   * of the error.
   */
  readonly acquireMs: number;
  readonly queryMs: number;
  /**
   * What the server allows; default: less than `queryMs`, so that what was given up does not happen later.
   */
  readonly limits?: Limits;
  readonly name: string;
}

/** Finds a server that vanished while its connections were idle, and keeps them known to what is between. */
const KEEP_ALIVE_MS = 10_000;

/** Opens the pool. Connects on first use. Close with `db.destroy()`. */
export function openDb(options: DbOptions): Db {
  const { Client, connectionString } = driverOf(options.url);
  const limits = options.limits ?? limitsBelow(options.queryMs);
  const db = knex({
    client: 'pg',
    // knex would ask the server for it; nothing here depends on it.
    version: '14',
    connection: {
      connectionString,
      application_name: options.name,
      connectionTimeoutMillis: options.acquireMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    },
    pool: {
      min: 0,
      max: options.poolSize,
      acquireTimeoutMillis: options.acquireMs,
      propagateCreateError: true,
      afterCreate: prepareConnection(options.queryMs, limits, () => inspectPooling(options.url)),
      // A transaction that never ends: the writes of the connection's next user would be lost with it.
      validate: (connection: pg.Client & { readonly readyForQuery: boolean }) =>
        connection.readyForQuery && connection.getTransactionStatus() === 'I',
    },
    acquireConnectionTimeout: options.acquireMs,
    // knex would print each failure to connect, with a stack, in addition to the error that the caller gets.
    log: { warn: () => undefined },
  });
  Object.assign(db.client as object, { driver: { ...pg, Client } });
  retireSlowly(db);
  return db;
}

/** The most connections that the pool opens. */
export function poolSizeOf(db: Db): number {
  return (db.client as { readonly config: { readonly pool: { readonly max: number } } }).config.pool.max;
}

/**
 * Runs one statement in one round trip, in the caller's transaction or on a connection of the pool, and
 * returns its rows. It calls the driver directly because knex's `raw` has no named statements: 39 us instead
 * of 55 us of CPU per query.
 */
export async function run<Row, Params>(
  connection: Connection,
  statement: Statement<Row, Params>,
  values: Params,
): Promise<Row[]> {
  // The connection of a transaction that has ended may already serve another caller.
  if ('isCompleted' in connection && connection.isCompleted())
    throw new Error(`${statement.name} comes after the end of its transaction`);
  const query = { text: statement.text, values: valuesOf(statement, values) };
  for (;;)
    try {
      const named = keptByPooler.has(statement.name) ? query : { name: statement.name, ...query };
      return await runOnce<Row>(connection.client as KnexClient, named);
    } catch (error) {
      // A migration has changed a table under a process of the previous release. Nothing was done, and the
      // connection is discarded: a new one prepares the statement again. A transaction has lost its earlier
      // statements, so its caller must repeat it.
      if (!(error instanceof Error && isOutdated(error)) || 'isCompleted' in connection) throw error;
    }
}

/**
 * Statements of which a pooler keeps an outdated plan on its own connections, where a new connection to the
 * pooler finds it again: they run without a name until this process ends.
 */
const keptByPooler = new Set<string>();

async function runOnce<Row>(client: KnexClient, query: pg.QueryConfig): Promise<Row[]> {
  const driver = await client.acquireConnection();
  try {
    const isAlone = driver.begin !== undefined && driver.getTransactionStatus() === 'I';
    return (await (isAlone ? runAlone(driver, query) : driver.query(query))).rows as Row[];
  } catch (error) {
    // A connection that broke, or still waits for a result after the timeout, must not serve the next caller.
    if (isBroken(error)) driver.__knex__disposed ??= error;
    if (error instanceof Error && isOutdated(error) && driver.begin !== undefined && query.name !== undefined)
      keptByPooler.add(query.name);
    throw error;
  } finally {
    await client.releaseConnection(driver);
  }
}

/**
 * Runs one statement in a transaction of its own, which sets the limits: a pooler in transaction mode shares
 * its connections among processes with other limits.
 */
async function runAlone(driver: PooledConnection, query: pg.QueryConfig): Promise<pg.QueryResult> {
  await driver.query(driver.begin ?? 'BEGIN');
  try {
    const result = await driver.query(query);
    await driver.query('COMMIT');
    return result;
  } catch (error) {
    // One that is broken is discarded by the caller, and the pooler ends its transaction.
    await driver.query('ROLLBACK').catch(() => (driver.__knex__disposed ??= error));
    throw error;
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
