import { setTimeout as sleep } from 'node:timers/promises';
import { isElsewhere } from '../../domain/events/epoch.ts';
import { readConfig, StartError, type Config, type Environment } from '../../platform/config/config.ts';
import { assertNoFaults } from '../../platform/config/start-error.ts';
import { readSecretFiles } from '../../platform/config/secret-files.ts';
import type { Context } from '../../platform/context.ts';
import { DatabaseClock, sourcesOf, type ReportChange } from '../../platform/database-clock/clock.ts';
import { clockFault, mayWork } from '../../platform/database-clock/report.ts';
import { isUnavailable, openDb, runOne, sql, type Db } from '../../platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../domain/schedule/job.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { assertKeepsPrepared, assertSession, inspectPooling } from '../../platform/postgres/pooler.ts';
import { missingMigrations } from '../../platform/postgres/migrate.ts';
import { Replica } from '../../platform/replica.ts';
import { assertSecretsKey } from '../../domain/ops/health/secrets-key.ts';
import { startTraces } from '../../platform/traces/traces.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * A web request gets its response within 2 s, a 503 included: the waits for a connection and for a result add
 * up to that.
 */
export const WEB_DB = { poolSize: 20, acquireMs: 700, queryMs: 1_200 };
/** What the replica may take before the primary serves the read, for which the limits above are left. */
export const REPLICA_DB = { poolSize: 20, acquireMs: 300, queryMs: 600 };
/** Workers run statements over sets, and can wait. */
export const WORKER_DB = { poolSize: 20, acquireMs: 10_000, queryMs: 60_000 };
/** A watcher applies a page of one network at a time. */
export const WATCHER_DB = { poolSize: 5, acquireMs: 10_000, queryMs: 60_000 };

/** The configuration from the environment. Throws ConfigError, which names the faulty variables. */
export function configFrom(
  env: Environment,
  options?: { showsLinks?: boolean; readsChains?: boolean },
): Config {
  return readConfig(env, QUEUE_NAMES, options);
}

/**
 * The environment with the secrets of files, for processes that look at variables before the configuration is
 * read. Throws ConfigError, which names the files that cannot be used.
 */
export function withSecrets(env: Environment): Environment {
  const { env: read, faults } = readSecretFiles(env);
  assertNoFaults(faults);
  return read;
}

export interface ProcessContext extends Context {
  readonly clock: DatabaseClock;
}

/**
 * The context of the process `name`; it is closed with the process. Its clock must be measured before the
 * process works.
 */
export function createContext(
  lifetime: Lifetime,
  name: string,
  config: Config,
  pool: typeof WEB_DB,
  onClockChange?: ReportChange,
): ProcessContext {
  const log = createLog(config, { process: name });
  const db = openDb({ url: config.databaseUrl, name: connectionName(name), ...pool });
  lifetime.log = log;
  lifetime.own('database', () => db.destroy());
  const clock = new DatabaseClock(
    sourcesOf(db),
    onClockChange ?? ((level, message, fields) => log[level](message, fields)),
  );
  lifetime.own('clock', () => clock.stop());
  const { now } = clock;
  const replica = openReplica(config, log, connectionName(name));
  if (replica !== null) lifetime.own('replica', () => replica.destroy());
  const context = { config, log, db, now, systemNow: now, random: Math.random, testClock: null, clock };
  return replica === null ? context : { ...context, replica };
}

/** Null where there is none. It is connected to by the first read; a replica that is away stops no start. */
export function openReplica({ databaseReplicaUrl: url }: Config, log: Log, name: string): Replica | null {
  if (url === null) return null;
  return new Replica(openDb({ url, name, ...REPLICA_DB }), {
    onChange: (fault) =>
      fault === null
        ? log.info('the replica serves lists and the feed')
        : log.warn(
            'the replica does not serve: lists and the feed are read from the primary',
            faultOf(fault),
          ),
  });
}

/**
 * Measures the clock, now and from now on. Throws StartError when it is wrong, and the driver's error when
 * Postgres is unavailable.
 */
export async function assertRightClock({ clock }: ProcessContext): Promise<void> {
  await clock.measure();
  const fault = clockFault(clock);
  if (fault !== null && !mayWork(clock)) throw new StartError(fault);
  clock.start();
}

/** Turns traces on where they are configured; what is pending is sent when the process ends. */
export async function openTraces({ config, log }: Context, lifetime: Lifetime, name: string): Promise<void> {
  const onProblem = (error: string) => log.warn('traces could not be sent; they are dropped', { error });
  lifetime.own('traces', await startTraces(config, name, onProblem));
}

/** The application_name of this process in pg_stat_activity. */
export function connectionName(process_: string): string {
  return `${process_} ${process.pid}`;
}

/** The variable that holds `databaseDirectUrl`. */
export function directVariable({ databaseUrl, databaseDirectUrl }: Config): string {
  return databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

/**
 * Throws StartError when the release has not run on this database: it lacks a migration that this code needs,
 * or the queues' tables, where the process uses them (`useQueues`) and they are in Postgres. Rejects with the
 * driver's error when Postgres is unavailable.
 */
export async function assertReleased({ db, config }: Context, useQueues: boolean): Promise<void> {
  // With more patience than a pool has, whose callers would only learn that no connection came in time.
  assertKeepsPrepared(await inspectPooling(config.databaseUrl));
  const { missing } = await missingMigrations(db);
  if (useQueues && config.redisUrl === null)
    await assertSession(config.databaseDirectUrl, {
      who: 'each worker of the queues in Postgres',
      variable: directVariable(config),
    });
  if (useQueues && config.redisUrl === null && !(await hasQueueTables(db)))
    missing.push("the queues' tables");
  if (missing.length > 0)
    throw new StartError(
      `The database is not up to date, it lacks ${missing.join(', ')}. Run the release first: node dist/processes/release.js`,
    );
}

/**
 * Throws StartError when the release has not run, when SECRETS_KEY is not the key of what the database holds,
 * and on a dump that was restored into another cluster and whose feed has not begun again: it would skip
 * events.
 */
export async function assertServable(ctx: Context, useQueues: boolean): Promise<void> {
  await assertReleased(ctx, useQueues);
  await assertSecretsKey(ctx);
  if (await isElsewhere(ctx.db))
    throw new StartError(
      'The database was restored into another Postgres cluster, and its event feed has not begun again. Stop ' +
        'every web, worker and watcher, and run: node dist/processes/ops.js restored',
    );
}

const RETRY_MS = 1_000;

/**
 * Like `assertServable`, and measures the clock; but logs when Postgres is unavailable, or the clock wrong: a
 * web process responds with 503 until Postgres is back, and is not ready until its clock is right. What a
 * start refuses ends the process then, too.
 */
export async function assertServableIfReachable(
  ctx: ProcessContext,
  lifetime: Pick<Lifetime, 'fail' | 'isDraining'>,
  useQueues: boolean,
): Promise<void> {
  const look = async (): Promise<unknown> => {
    try {
      await assertServable(ctx, useQueues);
      await ctx.clock.measure();
      return null;
    } catch (error) {
      if (error instanceof StartError || !isUnavailable(error)) throw error;
      return error;
    }
  };
  const lookLater = async () => {
    do await sleep(RETRY_MS, undefined, { ref: false });
    while (!lifetime.isDraining() && (await look()) !== null);
  };
  ctx.clock.start();
  const fault = await look();
  if (fault === null) return;
  ctx.log.warn('Postgres unavailable; requests get 503 until it is back', faultOf(fault));
  void lookLater().catch((error: unknown) => lifetime.isDraining() || lifetime.fail(error));
}

const queueTables = sql<{ there: boolean }>(
  'queue_tables',
  `SELECT to_regclass('bullmq.migration') IS NOT NULL AS there`,
);

async function hasQueueTables(db: Db): Promise<boolean> {
  return (await runOne(db, queueTables, []))?.there === true;
}
