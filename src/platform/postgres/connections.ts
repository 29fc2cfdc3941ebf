import type { Socket } from 'node:net';
import pg from 'pg';
import type { Knex } from 'knex';
import { prepareSession, selectSettings, type Limits } from './session.ts';
import { assertKeepsPrepared, type Pooling } from './pooler.ts';

/** A connection of knex's pool, which discards it once the mark is set. */
export type PooledConnection = pg.Client & {
  readonly readyForQuery: boolean;
  __knex__disposed?: unknown;
  /**
   * What begins each transaction behind a pooler that gives it any connection; absent: the limits are set on
   * the connection itself.
   */
  begin?: string;
};

/** The part of knex's client that this service uses. */
export interface KnexClient {
  acquireConnection(): Promise<PooledConnection>;
  releaseConnection(connection: PooledConnection): Promise<void>;
  destroy(callback?: (error?: unknown) => void): Promise<void>;
}

/**
 * A connection that was given up keeps its place in the pool until the server has closed it, which takes a
 * second while the server runs, and at most this long: a server that vanished must not end the pool.
 */
const RETIREMENT_MS = 30_000;

type Callback = (error: Error | null | undefined, result?: unknown) => void;
type Query = (...args: unknown[]) => unknown;
/** The driver's own layer below a client; its types leave it out. */
type Wire = { readonly connection: { readonly stream: Socket; end(): void } };

/** Connections whose server still works on a statement that nobody waits for. */
const givenUp = new WeakSet<PooledConnection>();

/**
 * Returns what knex calls with each new connection: it limits the client's wait for a result to `queryMs`,
 * and sets the server's limits. `inspect` finds out about a pooler; it is called once, and only behind one.
 */
export function prepareConnection(queryMs: number, limits: Limits, inspect: () => Promise<Pooling>) {
  let pooling: Promise<Pooling> | null = null;
  const inspectOnce = () => {
    pooling ??= inspect();
    pooling.catch(() => (pooling = null));
    return pooling;
  };
  const prepare = async (connection: PooledConnection): Promise<void> => {
    const { processID } = connection as unknown as { processID: number };
    const { rows } = await connection.query<{ direct: boolean }>(prepareSession(limits, processID));
    if (rows[0]?.direct === true) return;
    const found = await inspectOnce();
    assertKeepsPrepared(found);
    if (found.mode === 'session') await connection.query(prepareSession(limits));
    else connection.begin = await beginOf(connection, limits);
  };
  return (connection: PooledConnection, done: Callback): void => {
    Object.assign(connection, { query: patientQuery(connection, queryMs) });
    prepare(connection).then(
      () => done(null, connection),
      (error: Error) => {
        // knex forgets a connection that fails here.
        void connection.end();
        done(error, connection);
      },
    );
  };
}

async function beginOf(connection: PooledConnection, limits: Limits): Promise<string> {
  const { rows } = await connection.query<{ name: string; value: string }>(selectSettings(limits));
  return ['BEGIN', ...rows.map(({ name, value }) => `SET LOCAL ${name} = ${value}`)].join('; ');
}

/**
 * The driver's `query` with a limit. The driver's own limit fires even when the result has arrived and the
 * process was too busy to read it: that caller would get a 503 for what is stored. This one reads first.
 */
function patientQuery(connection: PooledConnection, queryMs: number): Query {
  const start = (args: unknown[], settle: Callback) => {
    const timer = setTimeout(() => {
      // Two turns of the event loop, each of which reads what the sockets hold.
      setImmediate(() => setImmediate(giveUp));
    }, queryMs);
    let isSettled = false;
    const once: Callback = (error, result) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      settle(error, result);
    };
    const giveUp = () => {
      if (isSettled) return;
      const error = new Error('Query read timeout');
      connection.__knex__disposed = error;
      givenUp.add(connection);
      once(error);
    };
    // Nothing goes behind a statement that was given up: a ROLLBACK would wait as long again.
    if (connection.__knex__disposed !== undefined) once(new Error('The connection is not queryable'));
    else (pg.Client.prototype.query as Query).call(connection, ...withLimits(connection, args), once);
  };
  return (...args) => {
    const settle = args.at(-1);
    if (typeof settle === 'function') return start(args.slice(0, -1), settle as Callback);
    return new Promise((resolve, reject) => {
      start(args, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}

/** What knex begins a transaction with. */
const BEGIN = 'BEGIN;';

/** Puts the limits into the statement that begins a transaction: no round trip in addition. */
function withLimits({ begin }: PooledConnection, args: unknown[]): unknown[] {
  const [query, ...rest] = args as [string | pg.QueryConfig, ...unknown[]];
  if (begin === undefined || (typeof query === 'string' ? query : query.text) !== BEGIN) return args;
  return [begin, ...rest.filter((value) => !Array.isArray(value))];
}

/**
 * Makes the pool keep the place of a connection that was given up until the server has closed it: otherwise
 * each pending statement would let the pool open one more connection.
 */
export function retireSlowly(db: Knex): void {
  const client = db.client as KnexClient;
  const release = client.releaseConnection.bind(client);
  const destroy = client.destroy.bind(client);
  const retired = new Set<Socket>();
  const retire = (connection: PooledConnection) => {
    const { stream } = (connection as unknown as Wire).connection;
    const timer = setTimeout(() => stream.destroy(), RETIREMENT_MS).unref();
    retired.add(stream);
    stream.once('close', () => {
      clearTimeout(timer);
      retired.delete(stream);
      void release(connection);
    });
    // The driver's `end` of a client closes only this side while a statement is pending.
    (connection as unknown as Wire).connection.end();
  };
  client.releaseConnection = (connection) => {
    if (!givenUp.has(connection) || isClosed(connection)) return release(connection);
    retire(connection);
    return Promise.resolve();
  };
  client.destroy = (callback) => {
    for (const stream of retired) stream.destroy();
    return destroy(callback);
  };
}

function isClosed(connection: PooledConnection): boolean {
  return (connection as unknown as Wire).connection.stream.closed;
}
