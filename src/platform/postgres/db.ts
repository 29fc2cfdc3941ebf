import knex, { type Knex } from 'knex';
import pg from 'pg';
import { valuesOf, type Statement } from './sql.ts';

export { recordset, sql, type Statement } from './sql.ts';

/** The pool; a reader takes it. */
export type Db = Knex;
/** An open transaction; a writer takes it, so that its signature shows what is atomic. */
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
  /** How long a caller waits for a connection, and how long for the answer to one statement; then it is `database unavailable`. */
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
      // A BEGIN or COMMIT whose answer never came leaves a connection that is busy, or in a transaction that nobody will end: what the
      // next borrower writes would be lost with it.
      validate: (connection: PooledConnection) =>
        connection.readyForQuery && connection.getTransactionStatus() === 'I',
    },
    acquireConnectionTimeout: options.acquireMs,
    // It would print each connection that cannot be had, with a stack, beside the error that the caller gets.
    log: { warn: () => undefined },
  });
}

/**
 * Runs one statement in one round trip, in the caller's transaction or on a connection of the pool, and answers its rows.
 * It goes straight to the driver because knex's `raw` knows no named statements: 39 us instead of 55 us of CPU a query here.
 */
export async function run<Row, Params>(
  connection: Connection,
  statement: Statement<Row, Params>,
  values: Params,
): Promise<Row[]> {
  // The connection of a transaction that has ended may serve somebody else already.
  if ('isCompleted' in connection && connection.isCompleted())
    throw new Error(`${statement.name} comes after the end of its transaction`);
  const query = { name: statement.name, text: statement.text, values: valuesOf(statement, values) };
  for (;;)
    try {
      return await runOnce<Row>(connection.client as KnexClient, query);
    } catch (error) {
      // A migration has changed a table under a process of the release before. Nothing was done, and the connection is gone; in the end
      // one serves that has prepared the statement anew. A transaction has lost what it did before: that is for its caller to do again.
      if (!(error instanceof Error && isOutdated(error)) || 'isCompleted' in connection) throw error;
    }
}

async function runOnce<Row>(client: KnexClient, query: pg.QueryConfig): Promise<Row[]> {
  const driver = await client.acquireConnection();
  try {
    return (await driver.query(query)).rows as Row[];
  } catch (error) {
    // A connection that broke, or still waits for an answer that we gave up, must not serve the next caller.
    if (isUnavailable(error)) {
      driver.__knex__disposed = error;
      // Closed at once: a transaction's ROLLBACK would wait behind the statement without an answer for as long again.
      void driver.end();
    }
    throw error;
  } finally {
    await client.releaseConnection(driver);
  }
}

/** Like `run`, for statements that answer at most one row. */
export async function runOne<Row, Params>(
  connection: Connection,
  statement: Statement<Row, Params>,
  values: Params,
): Promise<Row | null> {
  return (await run(connection, statement, values))[0] ?? null;
}

/** The part of knex's client that `run` uses; a transaction's client hands out that transaction's one connection. */
interface KnexClient {
  acquireConnection(): Promise<PooledConnection>;
  releaseConnection(connection: PooledConnection): Promise<void>;
}

/** knex's pool throws a connection away, instead of lending it again, once this mark is set. */
type PooledConnection = pg.Client & { readonly readyForQuery: boolean; __knex__disposed?: unknown };

/** SQLSTATE classes that say "the server is not there or not taking work": connection failure, resources, operator, starting up. */
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

/** True when `error` means that Postgres is away, overloaded or just changed by a migration, so that trying again later is the right answer. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isOutdated(error)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    UNAVAILABLE_CODES.has(code) || UNAVAILABLE_STATES.test(code) || UNAVAILABLE_MESSAGES.test(error.message)
  );
}

/**
 * The columns of a prepared statement are others since a migration: Postgres prepares it anew on another connection only. Its message is
 * in the server's language; the place in its source is not.
 */
function isOutdated(error: Error): boolean {
  return (
    'code' in error &&
    error.code === '0A000' &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  );
}
