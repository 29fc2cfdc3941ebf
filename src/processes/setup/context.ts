import { systemClock } from '../../platform/clock.ts';
import { readConfig, StartError, type Config, type Environment } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import { isUnavailable, openDb, runOne, sql, type Db } from '../../platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../platform/job.ts';
import { createLog, messageOf } from '../../platform/log.ts';
import { missingMigrations } from '../../platform/postgres/migrate.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * A web request gets its response within 2 s, a 503 included: the waits for a connection and for a result add
 * up to that.
 */
export const WEB_DB = { poolSize: 20, acquireMs: 700, queryMs: 1_200 };
/** Workers run statements over sets, and can wait. */
export const WORKER_DB = { poolSize: 20, acquireMs: 10_000, queryMs: 60_000 };

/** The configuration from the environment. Throws ConfigError, which names the faulty variables. */
export function configFrom(env: Environment, options?: { showsLinks: boolean }): Config {
  return readConfig(env, QUEUE_NAMES, options);
}

/** The context of the process `name`; it is closed with the process. */
export function createContext(
  lifetime: Lifetime,
  name: string,
  config: Config,
  pool: typeof WEB_DB,
): Context {
  const log = createLog(config, { process: name });
  const db = openDb({ url: config.databaseUrl, name: connectionName(name), ...pool });
  lifetime.log = log;
  lifetime.own(() => db.destroy());
  return { config, log, db, now: systemClock, systemNow: systemClock, random: Math.random, testClock: null };
}

/** The application_name of this process in pg_stat_activity. */
export function connectionName(process_: string): string {
  return `${process_} ${process.pid}`;
}

/**
 * Throws StartError when the release has not run on this database: it lacks a migration that this code needs,
 * or the queues' tables, where the process uses them (`useQueues`) and they are in Postgres. Rejects with the
 * driver's error when Postgres is unavailable.
 */
export async function assertReleased({ db, config }: Context, useQueues: boolean): Promise<void> {
  const { missing } = await missingMigrations(db);
  if (useQueues && config.redisUrl === null && !(await hasQueueTables(db)))
    missing.push("the queues' tables");
  if (missing.length > 0)
    throw new StartError(
      `The database is not up to date, it lacks ${missing.join(', ')}. Run the release first: node dist/processes/release.js`,
    );
}

/**
 * Like `assertReleased`, but logs when Postgres is unavailable: a web process responds with 503 until it is
 * back.
 */
export async function assertReleasedIfReachable(ctx: Context, useQueues: boolean): Promise<void> {
  try {
    await assertReleased(ctx, useQueues);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    ctx.log.warn('Postgres unavailable; requests get 503 until it is back', { error: messageOf(error) });
  }
}

const queueTables = sql<{ there: boolean }>(
  'queue_tables',
  `SELECT to_regclass('bullmq.migration') IS NOT NULL AS there`,
);

async function hasQueueTables(db: Db): Promise<boolean> {
  return (await runOne(db, queueTables, []))?.there === true;
}
