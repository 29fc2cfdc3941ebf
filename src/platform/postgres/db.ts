import knex, { type Knex } from 'knex';
import pg from 'pg';
import { valuesOf, type Statement } from './sql.ts';

export { groupBy, recordset, sql, type Statement } from './sql.ts';

/** The pool, for readers. */
export type Db = Knex;
/** An open transaction, for writers: the signature shows what is atomic. */
export type Tx = Knex.Transaction;
export type Connection = Db | Tx;

const INT8 = 20;
const NUMERIC = 1700;
// Money and 64-bit numbers stay text: a float would round them.
pg.types.setTypeParser(INT8, (value) => value);
pg.types.setTypeParser(NUMERIC, (value) => value);

export interface DbOptions {
  readonly url: string;
  readonly poolSize: number;
  /**
   * How long a caller waits for a connection, and for the result of a statement; then `isUnavailable` is true
   * of the error.
   */
  readonly acquireMs: number;
  readonly queryMs: number;
  readonly name: string;
}

/** Opens the pool. Connects on first use. Close with `db.destroy()`. */
export function openDb(options: DbOptions): Db {
  return knex({
    client: 'pg',
    connection: {
      connectionString: options.url,
      application_name: options.name,
      connectionTimeoutMillis: options.acquireMs,
      query_timeout: options.queryMs,
      keepAlive: true,
    },
    pool: {
      min: 0,
      max: options.poolSize,
      acquireTimeoutMillis: options.acquireMs,
      propagateCreateError: true,
      // A BEGIN or COMMIT whose response never came leaves a connection that is busy, or in a transaction
      // that never ends: the writes of its next user would be lost with it.
      validate: (connection: PooledConnection) =>
        connection.readyForQuery && connection.getTransactionStatus() === 'I',
    },
    acquireConnectionTimeout: options.acquireMs,
    // knex would print each failure to connect, with a stack, in addition to the error that the caller gets.
    log: { warn: () => undefined },
  });
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
  const query = { name: statement.name, text: statement.text, values: valuesOf(statement, values) };
  for (;;)
    try {
      return await runOnce<Row>(connection.client as KnexClient, query);
    } catch (error) {
      // A migration has changed a table under a process of the previous release. Nothing was done, and the
      // connection is discarded: a new one prepares the statement again. A transaction has lost its earlier
      // statements, so its caller must repeat it.
      if (!(error instanceof Error && isOutdated(error)) || 'isCompleted' in connection) throw error;
    }
}

async function runOnce<Row>(client: KnexClient, query: pg.QueryConfig): Promise<Row[]> {
  const driver = await client.acquireConnection();
  try {
    return (await driver.query(query)).rows as Row[];
  } catch (error) {
    // A connection that broke, or still waits for a result after the timeout, must not serve the next caller.
    if (isUnavailable(error)) {
      driver.__knex__disposed = error;
      // Closed at once: the ROLLBACK of a transaction would wait behind the pending statement for another
      // timeout.
      void driver.end();
    }
    throw error;
  } finally {
    await client.releaseConnection(driver);
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

/**
 * The part of knex's client that `run` uses; the client of a transaction returns the transaction's one
 * connection.
 */
interface KnexClient {
  acquireConnection(): Promise<PooledConnection>;
  releaseConnection(connection: PooledConnection): Promise<void>;
}

/** knex's pool discards a connection once this mark is set. */
type PooledConnection = pg.Client & { readonly readyForQuery: boolean; __knex__disposed?: unknown };

/**
 * SQLSTATE classes of a server that is absent or refuses work: connection failure, resources, operator,
 * starting up.
 */
const UNAVAILABLE_STATES = /^(08|53|57P0)/;
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const UNAVAILABLE_MESSAGES =
  /timeout expired|timeout exceeded when trying to connect|Connection terminated|Query read timeout|Timeout acquiring a connection|pool is probably full|Client has encountered a connection error|not queryable|aborted/;

/**
 * True when Postgres is unavailable, overloaded or was just migrated, so that the caller should try again
 * later.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isOutdated(error)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    UNAVAILABLE_CODES.has(code) || UNAVAILABLE_STATES.test(code) || UNAVAILABLE_MESSAGES.test(error.message)
  );
}

/**
 * A migration has changed the columns of a prepared statement, which must be prepared again on another
 * connection. The error's message is in the server's language; the routine in its source is not.
 */
function isOutdated(error: Error): boolean {
  return (
    'code' in error &&
    error.code === '0A000' &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  );
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
