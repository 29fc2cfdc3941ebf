import type { PooledConnection } from '../../../src/platform/postgres/connections.ts';
import { openDb, poolOf, type Db } from '../../../src/platform/postgres/db.ts';

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
  /** Counts from 0 again, and pauses there; null: nowhere. */
  pauseBefore(pause: Pause | null): void;
  /** The statements that were sent since then. */
  readonly sent: readonly string[];
  /** While `work` runs, every statement of this name fails, as one does of a payment that is broken. */
  failing<Result>(statement: RegExp, work: () => Promise<Result>): Promise<Result>;
  /** Resolves with the statement that is being paused. */
  readonly paused: Promise<string>;
}

/** Before the statement, or the COMMIT, with this index. */
export interface Pause {
  readonly index: number;
  readonly isCommit: boolean;
}

const COMMITS = /\bCOMMIT\b/;

type Query = (...args: unknown[]) => unknown;

export function openPausableDb(url: string, name: string): PausableDb {
  const db = openDb({ url, poolSize: 3, acquireMs: 10_000, queryMs: 20_000, name });
  let sent: string[] = [];
  let fails: RegExp | null = null;
  let pause: Pause | null = null;
  let reach: (statement: string) => void = () => undefined;
  let paused = new Promise<string>(() => undefined);

  const wrap = (connection: PooledConnection) => {
    const query = connection.query.bind(connection) as Query;
    const counted: Query = (...args) => {
      const statement = nameOf(args[0]);
      if (OUTSIDE.test(statement)) return query(...args);
      sent.push(statement);
      const callback = args.at(-1);
      args[0] = renamed(args[0]);
      const answered = (before: Promise<unknown>) => {
        if (typeof callback !== 'function') return before.then(() => query(...args));
        // knex's own statements, such as BEGIN and COMMIT, take a callback, and so do those that go together.
        return void before.then(
          () => query(...args),
          (error: unknown) => (callback as (error: unknown) => void)(error),
        );
      };
      const isReached = hasReached(pause, sent);
      if (isReached) reach(statement);
      const paused = isReached ? (query(WAIT) as Promise<unknown>) : Promise.resolve();
      if (fails?.test(statement) === true)
        return answered(paused.then(() => Promise.reject(new Error(`${statement} fails`))));
      return isReached ? answered(paused) : query(...args);
    };
    connection.query = counted as typeof connection.query;
  };
  const wrapped = new WeakSet<PooledConnection>();
  const pool = poolOf(db);
  const connect = pool.connect.bind(pool);
  pool.connect = async (onReleased) => {
    const connection = await connect(onReleased);
    if (!wrapped.has(connection)) wrap(connection);
    wrapped.add(connection);
    return connection;
  };

  return {
    db,
    name,
    pauseBefore(next) {
      sent = [];
      pause = next;
      paused = new Promise((resolve) => (reach = resolve));
    },
    get sent() {
      return sent;
    },
    async failing(statement, work) {
      fails = statement;
      try {
        return await work();
      } finally {
        fails = null;
      }
    },
    get paused() {
      return paused;
    },
  };
}

function hasReached(pause: Pause | null, sent: readonly string[]): boolean {
  if (pause === null) return false;
  const counted = pause.isCommit ? sent.filter((statement) => COMMITS.test(statement)) : sent;
  return counted.length - 1 === pause.index && counted.at(-1) === sent.at(-1);
}

/**
 * Only statements that the connection has prepared, by the names that the service gives them, go together in
 * one message, within which nothing can be paused: the locks of a transaction would never be held at a pause.
 * Under another name a statement goes alone, and is parsed and planned once for each connection.
 */
function renamed(statement: unknown): unknown {
  const { name } = statement as { name?: string };
  return typeof statement === 'string' || name === undefined
    ? statement
    : { ...(statement as object), name: `raced ${name}` };
}

/** A prepared statement's name, or the text of one that has none. */
function nameOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { name, text } = statement as { name?: string; text?: string };
  return name ?? text ?? '';
}
