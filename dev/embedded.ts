import { fileURLToPath } from 'node:url';
import { StartError } from '../src/platform/config/config.ts';
import { openDb, runOne, sql } from '../src/platform/postgres/db.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres/start.ts';
import { messageOf } from '../src/platform/log.ts';
import { ROOT } from '../src/platform/root.ts';
import type { Lifetime } from '../src/processes/setup/lifetime.ts';
import { migrateDatabase } from '../src/processes/setup/command-context.ts';
import { connectionName } from '../src/processes/setup/context.ts';

/** The files of development: the database, and dev.json. */
export const DATA_DIR = fileURLToPath(new URL('.data/', ROOT));
const DATABASE = 'payment_checkout';
/** Stands for the URL of the embedded database while the configuration is read before that database runs. */
export const PLACEHOLDER_URL = 'postgres://embedded';

/**
 * Starts the embedded database under `.data/`, or adopts a running one, migrates it and returns its URL. It
 * stops with this process unless another one uses it (`npm run dev` on another port, `npm run merchants`);
 * with `borrow`, an adopted one keeps running. Throws StartError when it cannot be started.
 */
export async function openEmbeddedDatabase(
  lifetime: Lifetime,
  { borrow = false }: { borrow?: boolean } = {},
): Promise<string> {
  const server = await start();
  if (!(borrow && server.adopted)) lifetime.own('embedded Postgres', () => stopUnlessShared(server));
  await migrateDatabase(server.url);
  return server.url;
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
  const db = openDb({ url, poolSize: 1, acquireMs: 1_000, queryMs: 1_000, name: 'check for other users' });
  try {
    const row = await runOne(db, otherUsers, { own: ['dev', 'merchants'].map(connectionName) });
    return row?.shared ?? false;
  } catch {
    // It is gone or does not respond, so nothing uses it.
    return false;
  } finally {
    await db.destroy();
  }
}
