import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend } from 'bullmq';
import type pg from 'pg';
import { messageOf, type Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { isUnavailable } from '../platform/postgres/unavailable.ts';

const RETRY_MS = 1_000;

/**
 * Has the callers of a pool wait until a connection can be opened. BullMQ keeps the failure of its first
 * connection for ever, and asks again at once: what refuses, a wrong password or a pooler, would cost a core
 * and fill the log. Once it is `stopped`, callers get the error.
 */
export function waitForConnections(pool: pg.Pool, log: Log, stopped: AbortSignal): void {
  type Done = (error: Error | undefined, client?: pg.PoolClient, release?: () => void) => void;
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  let isDown = false;
  const connectPatiently = async (): Promise<pg.PoolClient> => {
    for (;;)
      try {
        const client = await connect();
        isDown = false;
        return client;
      } catch (error) {
        if (stopped.aborted) throw error;
        if (!isDown) log.warn('queues: Postgres cannot be reached; trying again', faultOf(error));
        isDown = true;
        await rest(stopped);
      }
  };
  const connectFor = (done?: Done) => {
    if (done === undefined) return connectPatiently();
    connectPatiently().then(
      (client) => done(undefined, client, () => client.release()),
      (error: Error) => done(error),
    );
    return undefined;
  };
  Object.assign(pool, { connect: connectFor });
}

const rest = (stopped: AbortSignal): Promise<void> =>
  sleep(RETRY_MS, undefined, { ref: false, signal: stopped }).catch(() => undefined);

/**
 * Returns a function that creates backends whose first statement is repeated while Postgres is unavailable.
 * BullMQ keeps its failure for ever as well. The loop of a worker would fail again and again without ever
 * waiting for anything: no timer and no signal would reach the process.
 */
export function readyBackends(
  pool: pg.Pool,
  create: typeof createPostgresBackend,
  stopped: AbortSignal,
): typeof createPostgresBackend {
  const query = async (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    for (;;)
      try {
        return await pool.query(text, values);
      } catch (error) {
        if (stopped.aborted || !isUnavailable(error)) throw error;
        await rest(stopped);
      }
  };
  const first = { query, release: () => undefined };
  const connect = pool.connect.bind(pool);
  return (...args) => {
    const backend = create(...args);
    // It takes the connection of that statement before it waits for anything.
    Object.assign(pool, { connect: () => Promise.resolve(first) });
    backend.waitUntilReady().catch(() => undefined);
    Object.assign(pool, { connect });
    return backend;
  };
}

/** Without a listener an error would end the process. BullMQ reconnects by itself. */
export function logErrors<
  T extends { name: string; on(event: 'error', listener: (error: Error) => void): unknown },
>(source: T, log: Log): T {
  source.on('error', (error) =>
    log.warn('queue connection failed; BullMQ reconnects', { queue: source.name, error: messageOf(error) }),
  );
  return source;
}

/**
 * Returns a function that creates the backends of workers on a pool. When a connection is lost they listen
 * again: where the reply to LISTEN and the end of its connection arrive together, BullMQ waits for
 * notifications of the connection that is gone, and never listens on the next one.
 */
export function listeningBackends(pool: pg.Pool): typeof createPostgresBackend {
  const backends = new Set<ReturnType<typeof createPostgresBackend>>();
  const listenAgain = () => {
    for (const backend of backends) {
      void backend.disconnectBlocking();
      void backend.reconnectBlocking();
    }
  };
  // After the callbacks that wait for that reply.
  pool.on('connect', (client) => client.on('error', () => setImmediate(listenAgain)));
  return (...args) => {
    const backend = createPostgresBackend(...args);
    backends.add(backend);
    backend.on('close', () => backends.delete(backend));
    return backend;
  };
}
