import { fileURLToPath } from 'node:url';
import { migrateQueues } from '../../background/queues.ts';
import { StartError } from '../../platform/config/config.ts';
import { openDb, runOne, sql } from '../../platform/postgres/db.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../platform/embedded-postgres/start.ts';
import { messageOf } from '../../platform/log.ts';
import { migrateToLatest } from '../../platform/postgres/migrate.ts';
import type { Lifetime } from './lifetime.ts';
import { connectionName } from './context.ts';

/** Everything that development leaves behind lies here: the database, and the facts about it. */
export const DATA_DIR = fileURLToPath(new URL('../../../.data/', import.meta.url));
const DATABASE = 'payment_checkout';
/** For reading a configuration before the embedded database, and with it its URL, is there. */
export const NOT_YET = 'postgres://embedded';

/**
 * The URL of the embedded database under `.data/`, which is migrated: started, or found running and taken over. It ends with this
 * process unless another one uses it (`npm run dev` on another port, `npm run merchants`); with `borrow`, one that was found running is
 * left running. Throws StartError when it cannot be had.
 */
export async function openEmbeddedDatabase(
  lifetime: Lifetime,
  { borrow = false }: { borrow?: boolean } = {},
): Promise<string> {
  const server = await start();
  if (!(borrow && server.adopted)) lifetime.own(() => stopUnlessShared(server));
  await bringUpToDate(server.url);
  return server.url;
}

/** Creates or updates every table in the database. */
export async function bringUpToDate(databaseUrl: string): Promise<void> {
  await migrateToLatest(databaseUrl);
  await migrateQueues(databaseUrl);
}

async function start(): Promise<EmbeddedPostgres> {
  try {
    return await startEmbeddedPostgres({
      dataDir: `${DATA_DIR}postgres`,
      database: DATABASE,
      log: () => undefined,
    });
  } catch (error) {
    throw new StartError(messageOf(error), { cause: error });
  }
}

async function stopUnlessShared(server: EmbeddedPostgres): Promise<void> {
  if (!(await isShared(server.url))) await server.stop();
}

const otherUsers = sql<{ shared: boolean }, { own: readonly string[] }>(
  'other_users_of_embedded_database',
  (p) => `SELECT EXISTS (
     SELECT FROM pg_stat_activity
     WHERE application_name ~ '^(dev|merchants) ' AND application_name <> ALL (${p.own})
   ) AS shared`,
);

async function isShared(url: string): Promise<boolean> {
  const db = openDb({ url, poolSize: 1, acquireMs: 1_000, queryMs: 1_000, name: 'last look' });
  try {
    const row = await runOne(db, otherUsers, { own: ['dev', 'merchants'].map(connectionName) });
    return row?.shared ?? false;
  } catch {
    // It is gone already, or does not answer: nobody can be using it.
    return false;
  } finally {
    await db.destroy();
  }
}
