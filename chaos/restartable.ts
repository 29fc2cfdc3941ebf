import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../dev/embedded-postgres/start.ts';

/** How long Postgres is down. */
const PAUSE_MS = 1_500;

/** A Postgres for this run, with its default durability. */
export interface RestartablePostgres {
  readonly url: string;
  /** Stops Postgres and starts it again on the same data and port. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts Postgres on a data folder below `folder`. */
export async function startPostgres(folder: string): Promise<RestartablePostgres> {
  const options = {
    dataDir: join(folder, 'data'),
    database: 'chaos',
    flags: ['-c', 'max_connections=200'],
    log: () => undefined,
  };
  let server = await startEmbeddedPostgres(options);
  const { url, port } = server;
  return {
    url,
    restart: async () => {
      await server.stop();
      await sleep(PAUSE_MS);
      server = await startEmbeddedPostgres({ ...options, port });
    },
    stop: () => server.stop(),
  };
}
