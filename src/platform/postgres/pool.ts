import pg from 'pg';
import { within } from '../logging/watch-replies.ts';
import { driverOf } from './client.ts';
import { PooledConnection } from './connections.ts';
import { assertKeepsPrepared, backendOfKey, inspectPooling, type Pooling } from './pooler.ts';
import { limitsBelow, prepareSession, selectSettings, type Limits } from './session.ts';
import { isReadOnly } from './unavailable.ts';

export interface PoolOptions {
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
const IDLE_MS = 30_000;
/**
 * A connection that was given up keeps its place in the pool until the server has replied, which its own
 * limits make soon while it runs, and at most this long: a server that vanished must not end the pool.
 */
const RETIREMENT_MS = 30_000;

/** The driver's pool, as knex takes it (`connectionPool`): its connections keep the service's limits. */
export class ConnectionPool {
  readonly size: number;
  /** Called with how long each caller waited for a connection. */
  onWait: ((outcome: 'served' | 'failed', ms: number) => void) | null = null;
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #forgetPrimary: (() => void) | null;
  readonly #known = new Map<pg.ClientBase, PooledConnection>();
  readonly #retired = new Set<() => void>();
  #pooling: Promise<Pooling> | null = null;
  #ended: Promise<void> | null = null;
  #waiting = 0;
  #used = 0;

  constructor(options: PoolOptions) {
    const { Client, connectionString, forgetPrimary } = driverOf(options.url);
    this.size = options.poolSize;
    this.#options = options;
    this.#forgetPrimary = forgetPrimary;
    this.#pool = new pg.Pool({
      Client,
      connectionString,
      application_name: options.name,
      max: options.poolSize,
      connectionTimeoutMillis: options.acquireMs,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      // Not by `verify`, which gives the connection to a caller who has given up meanwhile: it is lost then.
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
      onConnect: (client) => this.#prepare(client),
    });
    // An idle connection that is lost: the pool opens another.
    this.#pool.on('error', () => undefined);
  }

  /** Connections that callers hold, those included that were given up and are not closed yet. */
  get usedCount(): number {
    return this.#used;
  }

  get idleCount(): number {
    return this.#pool.idleCount;
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }

  get waitingCount(): number {
    return this.#waiting;
  }

  /** A connection for the caller, who releases it; `onReleased` is called then. */
  async connect(onReleased?: () => void): Promise<PooledConnection> {
    const begun = performance.now();
    this.#waiting += 1;
    try {
      const acquired = this.#acquire(onReleased);
      // A new connection is prepared in the same time.
      const connection = this.#pool.idleCount > 0 ? await acquired : await this.#inTime(acquired);
      this.onWait?.('served', performance.now() - begun);
      return connection;
    } catch (error) {
      this.onWait?.('failed', performance.now() - begun);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Closes every connection once its caller has released it. */
  end(): Promise<void> {
    for (const close of this.#retired) close();
    this.#ended ??= this.#pool.end();
    return this.#ended;
  }

  async #inTime(acquired: Promise<PooledConnection>): Promise<PooledConnection> {
    try {
      return await within(this.#options.acquireMs, acquired, 'timeout exceeded when trying to connect');
    } catch (error) {
      acquired.then((connection) => connection.release()).catch(() => undefined);
      throw error;
    }
  }

  async #acquire(onReleased?: () => void): Promise<PooledConnection> {
    for (;;) {
      const client = await this.#pool.connect();
      const connection = this.#known.get(client);
      if (connection?.isUsable !== true) {
        client.release(true);
        continue;
      }
      this.#used += 1;
      connection.release = (isBroken = false) => {
        connection.release = () => undefined;
        onReleased?.();
        if (!connection.isQuiet) return this.#retire(connection, client);
        this.#used -= 1;
        client.release(isBroken || connection.isDiscarded);
      };
      return connection;
    }
  }

  /**
   * Keeps the place of a connection that was given up until the server has replied: otherwise each pending
   * statement would let the pool open one more connection.
   */
  #retire(connection: PooledConnection, client: pg.PoolClient): void {
    const end = () => {
      if (!this.#retired.delete(end)) return;
      clearTimeout(timer);
      this.#used -= 1;
      client.release(true);
    };
    const timer = setTimeout(end, RETIREMENT_MS).unref();
    this.#retired.add(end);
    connection.onQuiet = end;
    if (this.#ended !== null) end();
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    const { queryMs } = this.#options;
    const connection = new PooledConnection({ client, queryMs, onError: (error) => this.#note(error) });
    // A connection that is lost between two statements: the next statement gets the error.
    client.on('error', () => undefined);
    client.on('end', () => this.#known.delete(client));
    await this.#limit(connection);
    this.#known.set(client, connection);
  }

  async #limit(connection: PooledConnection): Promise<void> {
    const limits = this.#options.limits ?? limitsBelow(this.#options.queryMs);
    const { rows } = await connection.query(prepareSession(limits, backendOfKey(connection.client) ?? 0));
    const [direct] = rows as { direct: boolean }[];
    if (direct?.direct === true) return;
    const pooling = await this.#inspect();
    assertKeepsPrepared(pooling);
    if (pooling.mode === 'session') await connection.query(prepareSession(limits));
    else connection.begin = await beginOf(connection, limits);
  }

  /** Finds out about a pooler; once, and only behind one. */
  #inspect(): Promise<Pooling> {
    this.#pooling ??= inspectPooling(this.#options.url);
    this.#pooling.catch(() => (this.#pooling = null));
    return this.#pooling;
  }

  /** Drops every connection to a server as soon as one of them finds that it takes no writes any more. */
  #note(error: Error): void {
    if (this.#forgetPrimary === null || !isReadOnly(error)) return;
    this.#forgetPrimary();
    for (const connection of this.#known.values()) connection.isDiscarded = true;
  }
}

async function beginOf(connection: PooledConnection, limits: Limits): Promise<string> {
  const { rows } = await connection.query(selectSettings(limits));
  const settings = rows as { name: string; value: string }[];
  return ['BEGIN', ...settings.map(({ name, value }) => `SET LOCAL ${name} = ${value}`)].join('; ');
}
