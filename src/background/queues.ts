import {
  createPostgresBackend,
  Queue,
  runMigrations,
  Worker,
  type JobProgress,
  type PgPool,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  type Processor,
} from 'bullmq';
import pg from 'pg';
import type { JobData } from './runs/job-data.ts';
import { addSparingly, nameStatements } from './queue-statements.ts';
import { POSTGRES_JOB_OPTIONS, REDIS_JOB_OPTIONS } from './retention.ts';
import { listeningBackends, logErrors, readyBackends, waitForConnections } from './queue-errors.ts';
import type { Config } from '../platform/config/config.ts';
import type { QueueName } from '../domain/schedule/job.ts';
import { driverOf, openClient } from '../platform/postgres/client.ts';
import { limitsBelow, setLimits } from '../platform/postgres/session.ts';
import type { Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { parseRedisUrl } from '../platform/values/redis-urls.ts';
import { stopWaiting } from '../platform/redis/disconnect.ts';
import { openRedis } from '../platform/redis/open.ts';

export type JobQueue = Pick<
  Queue<JobData>,
  'name' | 'addBulk' | 'getJobCountByTypes' | 'isPaused' | 'waitUntilReady' | 'close'
>;
/** A queue as operators and the sweep of finished jobs have it. */
export type OperatedQueue = JobQueue & Pick<Queue, 'resume' | 'clean'>;
export type JobWorker = Pick<Worker<JobData>, 'name' | 'close' | 'waitUntilReady' | 'pause' | 'resume'>;

type PostgresQueue = Queue<
  JobData,
  unknown,
  string,
  JobData,
  unknown,
  string,
  PostgresQueueBackend,
  PostgresConnectionOptions
>;
type PostgresWorker = Worker<
  JobData,
  unknown,
  string,
  PostgresQueueBackend,
  JobProgress,
  PostgresConnectionOptions
>;

/** BullMQ on Redis or on Postgres; only this file knows which. */
export interface QueueEngine {
  readonly name: 'redis' | 'postgres';
  openQueue(name: QueueName): OperatedQueue;
  openWorker(name: QueueName, process: Processor<JobData>, concurrency: number): JobWorker;
  /** Makes whatever waits for a server that is away fail from now on; true: Redis is away. */
  stopWaiting(): boolean;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/**
 * The braces put the keys of a queue into one slot of a Redis Cluster, as BullMQ needs it. There each queue
 * has a prefix of its own, so that the queues are spread over the nodes.
 */
function prefixOf(queue: QueueName, isCluster: boolean): string {
  return isCluster ? `{checkout-${queue}}` : '{checkout}';
}

/**
 * How often an idle worker polls each queue that it serves; a job that is added wakes it. The job of a worker
 * that is gone ends after two intervals: its work was taken over long before (sweep.ts).
 */
const WORKING = { stalledInterval: 60_000, drainDelay: 60 } as const;
/** On Postgres a poll takes four statements, so it is rarer there. */
const POSTGRES_IDLE = { stalledInterval: 120_000, drainDelay: 300 } as const;
/** Long enough that a poll once a minute opens no new connection. */
const POOL_IDLE_MS = 120_000;

/**
 * On Postgres, BullMQ compares these locks with the clock of each worker's machine, which may be 30 s ahead:
 * what is left of a lock that was just renewed must be more. (On Redis the server's clock decides.)
 */
const POSTGRES_LOCKS = { lockDuration: 60_000, lockRenewTime: 15_000 } as const;

/**
 * Opens the configured engine: Redis when REDIS_URL is set, otherwise the service's own Postgres, without a
 * pooler that shares connections: the workers LISTEN. `poolSize` is for those in Postgres.
 */
export function openQueueEngine(
  config: Pick<Config, 'redisUrl' | 'databaseDirectUrl'>,
  log: Log,
  poolSize = QUEUE_POOL_SIZE,
): QueueEngine {
  return config.redisUrl === null
    ? postgresEngine(config.databaseDirectUrl, log, poolSize)
    : redisEngine(config.redisUrl, log);
}

function redisEngine(redisUrl: string, log: Log): QueueEngine {
  const connection = openRedis(redisUrl, 'queue', log);
  const isCluster = parseRedisUrl(redisUrl).kind === 'cluster';
  const optionsOf = (name: QueueName) => ({ connection, prefix: prefixOf(name, isCluster) });
  return {
    name: 'redis',
    openQueue: (name) =>
      logErrors(new Queue<JobData>(name, { ...optionsOf(name), defaultJobOptions: REDIS_JOB_OPTIONS }), log),
    openWorker: (name, process, concurrency) =>
      logErrors(new Worker<JobData>(name, process, { ...optionsOf(name), concurrency, ...WORKING }), log),
    stopWaiting: () => stopWaiting(connection),
    async close() {
      await connection.quit().catch(() => connection.disconnect());
    },
  };
}

/** More connections make BullMQ's engine slower (measured). Each worker listens on one more of its own. */
export const QUEUE_POOL_SIZE = 10;
/** For a process that only adds jobs, one addition to a queue at a time. */
export const ENQUEUER_POOL_SIZE = 2;
/** BullMQ itself waits without a limit; the server's limits are those of the worker's own connections. */
const STATEMENT_MS = 60_000;

function postgresEngine(databaseUrl: string, log: Log, poolSize: number): QueueEngine {
  let listeners = 0;
  const { Client, connectionString } = driverOf(databaseUrl);
  // Before the connection serves anybody: the pool waits for what this returns. BullMQ's statements name
  // their tables without a schema; poolers refuse the startup parameter that would set the path.
  const onConnect = async (client: pg.ClientBase) => {
    await client.query("SELECT set_config('search_path', 'bullmq', false)");
    await client.query(setLimits(limitsBelow(STATEMENT_MS)));
  };
  const pool = new pg.Pool({
    Client,
    connectionString,
    application_name: 'queues',
    keepAlive: true,
    max: poolSize,
    idleTimeoutMillis: POOL_IDLE_MS,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
    onConnect,
  });
  const stop = new AbortController();
  waitForConnections(pool, log, stop.signal);
  const createBackend = readyBackends(pool, createPostgresBackend, stop.signal);
  const createListeningBackend = readyBackends(pool, listeningBackends(pool), stop.signal);
  nameStatements(pool);
  pool.setMaxListeners(0);
  // The pool handles errors of its idle connections. One that BullMQ has checked out, idle between two
  // statements, would end the process when Postgres closes it; its next statement gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) =>
    log.warn('queues: a Postgres connection was lost; the pool opens another', faultOf(error)),
  );
  // BullMQ's type of a pool has an index signature that pg's class lacks.
  const connection = pool as unknown as PgPool;
  return {
    name: 'postgres',
    openQueue: (name) => {
      const queue: PostgresQueue = new Queue(
        name,
        { connection, defaultJobOptions: POSTGRES_JOB_OPTIONS },
        createBackend,
      );
      return addSparingly(logErrors(queue, log));
    },
    openWorker(name, process, concurrency) {
      listeners += 1;
      pool.options.max = poolSize + listeners;
      const options = { connection, concurrency, ...WORKING, ...POSTGRES_IDLE, ...POSTGRES_LOCKS };
      const worker: PostgresWorker = new Worker(name, process, options, createListeningBackend);
      return logErrors(worker, log);
    },
    stopWaiting() {
      stop.abort();
      return false;
    },
    close() {
      stop.abort();
      return pool.end();
    },
  };
}

/** Creates or migrates the tables of the Postgres engine. Several processes may call it at once. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = await openClient(databaseUrl, 'release');
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
