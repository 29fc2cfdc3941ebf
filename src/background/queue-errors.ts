import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend } from 'bullmq';
import type pg from 'pg';
import { messageOf, type Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';

const RETRY_MS = 1_000;

/**
 * Has the callers of a pool wait until a connection can be opened. BullMQ keeps the failure of its first
 * connection for ever, and asks again at once: what refuses, a wrong password or a pooler, would cost a core
 * and fill the log. Once the returned function is called, callers get the error.
 */
export function waitForConnections(pool: pg.Pool, log: Log): () => void {
  type Done = (error: Error | undefined, client?: pg.PoolClient, release?: () => void) => void;
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const stop = new AbortController();
  let isDown = false;
  const connectPatiently = async (): Promise<pg.PoolClient> => {
    for (;;)
      try {
        const client = await connect();
        isDown = false;
        return client;
      } catch (error) {
        if (stop.signal.aborted) throw error;
        if (!isDown) log.warn('queues: Postgres cannot be reached; trying again', faultOf(error));
        isDown = true;
        await sleep(RETRY_MS, undefined, { ref: false, signal: stop.signal }).catch(() => undefined);
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
  return () => stop.abort();
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
