import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend } from 'bullmq';
import type pg from 'pg';
import { messageOf, type Log } from '../platform/log.ts';

/** How long a caller of the pool waits for a connection that was refused before it gets the error. */
const REFUSED_MS = 1_000;

/**
 * Delays the error of a connection that cannot be opened. BullMQ tries again at once, and logs each time:
 * what refuses at once, a wrong password or a pooler, would cost a core and fill the log.
 */
export function failSlowly(pool: pg.Pool): void {
  type Done = (error: Error | undefined, client?: pg.PoolClient, release?: () => void) => void;
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const connectSlowly = async () => {
    try {
      return await connect();
    } catch (error) {
      await sleep(REFUSED_MS, undefined, { ref: false });
      throw error;
    }
  };
  const connectFor = (done?: Done) => {
    if (done === undefined) return connectSlowly();
    connectSlowly().then(
      (client) => done(undefined, client, () => client.release()),
      (error: Error) => done(error),
    );
    return undefined;
  };
  Object.assign(pool, { connect: connectFor });
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

type Readiness = { readyPromise?: Promise<void> | undefined; waitUntilReady(): Promise<void> };

/** What BullMQ's backend does before its worker waits for a job; its types leave it out. */
interface Listening {
  listening: boolean;
  readonly connection: Readiness & { readonly listenClient?: unknown };
  ensureListening(): Promise<unknown>;
}

/**
 * BullMQ's Postgres backend, without two of its faults. It keeps the failure of its first connection for
 * ever: its worker would ask again at once, without a pause in which anything else runs. Here each try
 * connects again. And where the reply to LISTEN and the end of its connection arrive together, it waits for
 * notifications of a connection that is gone, up to an hour, and never listens on the next one.
 */
export const createRetryingBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args);
  const listening = backend as unknown as Listening & Readiness;
  const { connection } = listening;
  for (const each of [connection, listening]) {
    const waitUntilReady = each.waitUntilReady.bind(each);
    each.waitUntilReady = () => {
      const ready = waitUntilReady();
      ready.catch(() => (each.readyPromise = undefined));
      return ready;
    };
  }
  const ensureListening = listening.ensureListening.bind(backend);
  listening.ensureListening = async () => {
    const client = await ensureListening();
    if (client === connection.listenClient) return client;
    listening.listening = false;
    throw new Error('the connection that listens for jobs has ended');
  };
  return backend;
};
