import type { Environment } from '../../platform/config/config.ts';
import { isProduction } from '../../platform/config/production.ts';
import type { Context } from '../../platform/context.ts';
import { createLog } from '../../platform/log.ts';
import { missingMigrations } from '../../platform/postgres/migrate.ts';
import { assertReleased, configFrom, createContext, withSecrets, WORKER_DB } from './context.ts';
import { readDevInfo } from './demo.ts';
import { migrateDatabase, PLACEHOLDER_URL, openEmbeddedDatabase } from './embedded.ts';
import type { Lifetime } from './lifetime.ts';

/** The database of `npm run dev` is one of development, unless NODE_ENV says otherwise. */
function environment(env: Environment): Environment {
  const isOfDevelopment = !env.DATABASE_URL || env.DATABASE_URL === readDevInfo().database_url;
  return { ...env, NODE_ENV: env.NODE_ENV || (isOfDevelopment ? 'development' : undefined) };
}

/**
 * The context of a command that is run once, on DATABASE_URL or on the embedded database. Migrates the
 * embedded one, and an empty one of development; any other needs its release. Throws ConfigError and
 * StartError.
 */
export async function openCommand(
  lifetime: Lifetime,
  name: string,
  processEnv: Environment,
): Promise<Context> {
  const env = environment(withSecrets(processEnv));
  const embedded = !env.DATABASE_URL && !isProduction(env);
  // Before the database starts: a faulty variable must leave nothing running.
  if (embedded) configFrom({ ...env, DATABASE_URL: PLACEHOLDER_URL }, { showsLinks: false });
  const database = embedded ? { DATABASE_URL: await openEmbeddedDatabase(lifetime, { borrow: true }) } : {};
  const config = configFrom({ ...env, ...database }, { showsLinks: false });
  const quiet = { ...config, logLevel: 'error' as const };
  const opened = createContext(lifetime, name, quiet, WORKER_DB, (_level, message) => console.error(message));
  // Standard output is for the result alone.
  const ctx = { ...opened, config, log: createLog(config, { process: name }, 'stderr') };
  if (!config.production && (await missingMigrations(ctx.db)).isEmpty)
    await migrateDatabase(config.databaseUrl);
  await assertReleased(ctx, false);
  // With a wrong clock the command runs all the same, by the database's time: whoever looks for the fault
  // needs it.
  await ctx.clock.measure();
  return ctx;
}
