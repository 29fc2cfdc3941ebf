import type pg from 'pg';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';

/** The advisory lock that a test holds while a database is paused. */
export const PAUSE_LOCK = 7_310_001;

// Taken and given back in one statement: whoever holds the lock decides how long the connection waits, and
// its transaction keeps every row lock that it has.
const WAIT = `SELECT pg_advisory_unlock_shared(${PAUSE_LOCK})
  FROM (SELECT pg_advisory_lock_shared(${PAUSE_LOCK}) OFFSET 0) AS locked`;

/**
 * The simulated chain stands for something outside the service: its statements are neither counted nor
 * paused.
 */
const OUTSIDE = /^sim_/;

/** A pool of its own, whose statements are counted, BEGIN and COMMIT among them, and can be paused. */
export interface PausableDb {
  readonly db: Db;
  readonly name: string;
  /** Counts from 0 again, and pauses before the statement with this index; null: before none. */
  pauseBefore(index: number | null): void;
  /** How many statements were sent since then. */
  readonly count: number;
  /** Resolves with the statement that is being paused. */
  readonly paused: Promise<string>;
}

type Query = (...args: unknown[]) => unknown;

export function openPausableDb(url: string, name: string): PausableDb {
  const db = openDb({ url, poolSize: 3, acquireMs: 10_000, queryMs: 20_000, name });
  let count = 0;
  let pausesBefore: number | null = null;
  let reach: (statement: string) => void = () => undefined;
  let paused = new Promise<string>(() => undefined);

  const wrap = (connection: pg.Client) => {
    const query = connection.query.bind(connection) as Query;
    const counted: Query = (...args) => {
      const statement = nameOf(args[0]);
      if (OUTSIDE.test(statement)) return query(...args);
      count += 1;
      if (count - 1 !== pausesBefore) return query(...args);
      reach(statement);
      const resumed = query(WAIT) as Promise<unknown>;
      const callback = args.at(-1);
      if (typeof callback !== 'function') return resumed.then(() => query(...args));
      // knex's own statements, such as BEGIN and COMMIT, take a callback.
      return void resumed.then(
        () => query(...args),
        (error: unknown) => (callback as (error: unknown) => void)(error),
      );
    };
    connection.query = counted as typeof connection.query;
  };
  // What the pool hands out: a new connection gets its own `query` in the pool (postgres/connections.ts).
  const wrapped = new WeakSet<pg.Client>();
  const client = db.client as { acquireConnection(): Promise<pg.Client> };
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    const connection = await acquire();
    if (!wrapped.has(connection)) wrap(connection);
    wrapped.add(connection);
    return connection;
  };

  return {
    db,
    name,
    pauseBefore(index) {
      count = 0;
      pausesBefore = index;
      paused = new Promise((resolve) => (reach = resolve));
    },
    get count() {
      return count;
    },
    get paused() {
      return paused;
    },
  };
}

/** A prepared statement's name, or the text of one that has none. */
function nameOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { name, text } = statement as { name?: string; text?: string };
  return name ?? text ?? '';
}
