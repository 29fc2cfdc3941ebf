import {
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
import { addFewAlone } from './add-few.ts';
import { nameStatements } from './queue-statements.ts';
import { POSTGRES_JOB_OPTIONS, REDIS_JOB_OPTIONS } from './retention.ts';
import { createRetryingBackend, failSlowly, logErrors } from './queue-errors.ts';
import type { Config } from '../platform/config/config.ts';
import type { JobMerchant } from '../platform/handover.ts';
import type { QueueName } from '../platform/job.ts';
import { driverOf, openClient } from '../platform/postgres/client.ts';
import { limitsBelow, setLimits } from '../platform/postgres/session.ts';
import type { Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { parseRedisUrl } from '../platform/values/redis-urls.ts';
import { stopWaiting } from '../platform/redis/disconnect.ts';
import { openRedis } from '../platform/redis/open.ts';

/** The data of every queue job: the keys of the scheduled jobs. */
export interface JobData {
  readonly keys: readonly string[];
  /** The id of the keys' test clock; absent: the system clock. */
  readonly testClock?: string;
  /** How often the job has failed before; absent: never. */
  readonly failures?: number;
  /** Whose slot the job takes; absent: it is nobody's. */
  readonly merchant?: JobMerchant;
  /** When the relay's lease of the keys ends (ISO 8601), where there is a merchant. */
  readonly leaseEnd?: string;
  /** When the first of the keys was due (ISO 8601); absent where that says nothing: retries, test clocks. */
  readonly dueAt?: string | undefined;
}
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
  /** From now on fails what waits for a Redis that is away; true: it is. Postgres fails it by itself. */
  stopWaiting?(): boolean;
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

/** Two intervals, 30 s, detect a dead worker: as long as a relay's lease. */
const STALLED = { stalledInterval: 15_000 } as const;

/**
 * On Postgres, BullMQ compares these locks with the clock of each worker's machine, which may be 30 s ahead:
 * what is left of a lock that was just renewed must be more. (On Redis the server's clock decides.)
 */
const POSTGRES_LOCKS = { lockDuration: 60_000, lockRenewTime: 15_000 } as const;

/**
 * Opens the configured engine: Redis when REDIS_URL is set, otherwise the service's own Postgres, without a
 * pooler that shares connections: the workers LISTEN.
 */
export function openQueueEngine(
  config: Pick<Config, 'redisUrl' | 'databaseDirectUrl'>,
  log: Log,
): QueueEngine {
  return config.redisUrl === null
    ? postgresEngine(config.databaseDirectUrl, log)
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
      logErrors(new Worker<JobData>(name, process, { ...optionsOf(name), concurrency, ...STALLED }), log),
    stopWaiting: () => stopWaiting(connection),
    async close() {
      await connection.quit().catch(() => connection.disconnect());
    },
  };
}

/** More make BullMQ's engine slower (measured). Each worker listens on one of its own in addition. */
export const QUEUE_POOL_SIZE = 10;
/** BullMQ itself waits without a limit; the server's limits are those of the worker's own connections. */
const STATEMENT_MS = 60_000;

function postgresEngine(databaseUrl: string, log: Log): QueueEngine {
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
    max: QUEUE_POOL_SIZE,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
    onConnect,
  });
  failSlowly(pool);
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
        createRetryingBackend,
      );
      return addFewAlone(logErrors(queue, log));
    },
    openWorker(name, process, concurrency) {
      listeners += 1;
      pool.options.max = QUEUE_POOL_SIZE + listeners;
      const options = { connection, concurrency, ...STALLED, ...POSTGRES_LOCKS };
      const worker: PostgresWorker = new Worker(name, process, options, createRetryingBackend);
      return logErrors(worker, log);
    },
    close: () => pool.end(),
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
