import { migrateQueues } from '../../background/queues.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import { createLog } from '../../platform/log.ts';
import { migrateToLatest, missingMigrations } from '../../platform/postgres/migrate.ts';
import { assertReleased, configFrom, createContext, withSecrets, WORKER_DB } from './context.ts';
import type { Lifetime } from './lifetime.ts';

/** How a command is opened. */
export interface OpenOptions {
  /** It writes nothing, and runs also before the release. */
  readonly isPreflight?: boolean;
  /** It knows the providers of real networks, which else the watcher alone does. */
  readonly readsChains?: boolean;
}

/** Opens the context of a command; `env` is that of its process. */
export type OpenCommand = (
  lifetime: Lifetime,
  name: string,
  env: Environment,
  options?: OpenOptions,
) => Promise<Context>;

/** Creates or migrates every table, those of the queues included. */
export async function migrateDatabase(databaseUrl: string): Promise<void> {
  await migrateToLatest(databaseUrl);
  await migrateQueues(databaseUrl);
}

/**
 * The context of a command that is run once, on DATABASE_URL. Migrates an empty database of development; any
 * other needs its release. Throws ConfigError and StartError.
 */
export const openCommand: OpenCommand = async (
  lifetime,
  name,
  env,
  { isPreflight = false, readsChains = false } = {},
) => {
  const config = configFrom(withSecrets(env), { showsLinks: false, readsChains });
  const quiet = { ...config, logLevel: 'error' as const };
  const opened = createContext(lifetime, name, quiet, WORKER_DB, (_level, message) => console.error(message));
  // Standard output is for the result alone.
  const ctx = { ...opened, config, log: createLog(config, { process: name }, 'stderr') };
  if (!isPreflight) await prepare(ctx);
  // With a wrong clock the command runs all the same, by the database's time: whoever looks for the fault
  // needs it.
  await ctx.clock.measure();
  return ctx;
};

async function prepare(ctx: Context): Promise<void> {
  const { production, databaseUrl } = ctx.config;
  if (!production && (await missingMigrations(ctx.db)).isEmpty) await migrateDatabase(databaseUrl);
  await assertReleased(ctx, false);
}
