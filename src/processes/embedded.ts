import { fileURLToPath } from 'node:url';
import { migrateQueues } from '../background/queues.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/start.ts';
import { migrateToLatest } from '../platform/migrate.ts';

/** Everything that development leaves behind lies here: the database, and the facts about it. */
export const DATA_DIR = fileURLToPath(new URL('../../.data/', import.meta.url));
const DATABASE = 'payment_checkout';

/**
 * The database of development: DATABASE_URL where it is set, else the embedded Postgres under `.data/`, started, or found running and
 * taken over. It is migrated. `stop` ends what was started here, and an embedded server that a killed process left behind.
 */
export async function openDevelopmentDatabase(
  databaseUrl: string | undefined,
): Promise<{ url: string; adopted: boolean; stop(): Promise<void> }> {
  const server =
    databaseUrl === undefined || databaseUrl === ''
      ? await startEmbeddedPostgres({
          dataDir: `${DATA_DIR}postgres`,
          database: DATABASE,
          log: () => undefined,
        })
      : { url: databaseUrl, adopted: true, stop: () => Promise.resolve() };
  try {
    await migrateToLatest(server.url);
    await migrateQueues(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}
