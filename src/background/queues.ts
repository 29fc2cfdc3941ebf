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
import type { Config } from '../platform/config/config.ts';
import type { JobMerchant, QueueName } from '../platform/job.ts';
import { limitsBelow, setLimits } from '../platform/postgres/limits.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/log.ts';
import { openRedis } from '../platform/redis.ts';

/** The data of every queue job: the keys of the scheduled jobs. */
export interface JobData {
  readonly keys: readonly string[];
  /** The id of the keys' test clock; absent: the system clock. */
  readonly testClock?: string;
  /** Whose slot the job takes; absent: it is nobody's. */
  readonly merchant?: JobMerchant;
  /** When the relay's lease of the keys ends (ISO 8601), where there is a merchant. */
  readonly leaseEnd?: string;
}
export type JobQueue = Pick<
  Queue<JobData>,
  'name' | 'addBulk' | 'getJobCountByTypes' | 'waitUntilReady' | 'close'
>;
export type JobWorker = Pick<Worker<JobData>, 'name' | 'close' | 'waitUntilReady'>;

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
  openQueue(name: QueueName): JobQueue;
  openWorker(name: QueueName, process: Processor<JobData>, concurrency: number): JobWorker;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** The braces put all keys into one slot of a Redis Cluster. */
const PREFIX = '{checkout}';

/**
 * Retries belong to the scheduled jobs in Postgres, so a queue job runs once. Failed ones stay a day, for
 * operators.
 */
const JOB_OPTIONS = { attempts: 1, removeOnFail: { age: 86_400, count: 1_000 } } as const;
/**
 * Finished jobs stay for a while, for operators: on Redis the latest 100, on Postgres those of the last
 * minute, because keeping a number of them there costs more than half of the throughput (956 instead of 2,550
 * jobs per second, measured).
 */
const REDIS_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: { count: 100 } } as const;
const POSTGRES_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: { age: 60 } } as const;

/** Two intervals, 30 s, detect a dead worker: as long as a relay's lease. */
const STALLED_INTERVAL_MS = 15_000;

/** Opens the configured engine: Redis when REDIS_URL is set, otherwise the service's own Postgres. */
export function openQueueEngine(config: Pick<Config, 'redisUrl' | 'databaseUrl'>, log: Log): QueueEngine {
  return config.redisUrl === null
    ? postgresEngine(config.databaseUrl, log)
    : redisEngine(config.redisUrl, log);
}

function redisEngine(redisUrl: string, log: Log): QueueEngine {
  const connection = openRedis(redisUrl, 'queue', log);
  const options = { connection, prefix: PREFIX };
  return {
    name: 'redis',
    openQueue: (name) =>
      logErrors(new Queue<JobData>(name, { ...options, defaultJobOptions: REDIS_JOB_OPTIONS }), log),
    openWorker: (name, process, concurrency) =>
      logErrors(
        new Worker<JobData>(name, process, { ...options, concurrency, stalledInterval: STALLED_INTERVAL_MS }),
        log,
      ),
    async close() {
      await connection.quit().catch(() => connection.disconnect());
    },
  };
}

/**
 * More connections make BullMQ's Postgres engine slower (measured). Each worker listens on one of its own in
 * addition.
 */
const POOL_SIZE = 10;
/** BullMQ itself waits without a limit; the server's limits are those of the worker's own connections. */
const STATEMENT_MS = 60_000;

function postgresEngine(databaseUrl: string, log: Log): QueueEngine {
  let listeners = 0;
  // BullMQ's statements name their tables without a schema.
  const settings = {
    connectionString: databaseUrl,
    options: '-c search_path=bullmq',
    application_name: 'queues',
    keepAlive: true,
  };
  // Before the connection serves anybody: the pool waits for what this returns.
  const onConnect = (client: pg.ClientBase) => client.query(setLimits(limitsBelow(STATEMENT_MS)));
  const pool = new pg.Pool({ ...settings, max: POOL_SIZE, onConnect: onConnect as (client: object) => void });
  pool.setMaxListeners(0);
  // The pool handles errors of its idle connections. One that BullMQ has checked out, idle between two
  // statements, would end the process when Postgres closes it; its next statement gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) =>
    log.warn('queues: a Postgres connection was lost; the pool opens another', { error: messageOf(error) }),
  );
  // BullMQ's type of a pool has an index signature that pg's class lacks.
  const connection = pool as unknown as PgPool;
  return {
    name: 'postgres',
    openQueue: (name) => {
      const queue: PostgresQueue = new Queue(
        name,
        { connection, defaultJobOptions: POSTGRES_JOB_OPTIONS },
        createPostgresBackend,
      );
      return logErrors(queue, log);
    },
    openWorker(name, process, concurrency) {
      listeners += 1;
      pool.options.max = POOL_SIZE + listeners;
      const options = { connection, concurrency, stalledInterval: STALLED_INTERVAL_MS };
      const worker: PostgresWorker = new Worker(name, process, options, createPostgresBackend);
      return logErrors(worker, log);
    },
    close: () => pool.end(),
  };
}

/** Without a listener an error would end the process. BullMQ reconnects by itself. */
function logErrors<T extends { name: string; on(event: 'error', listener: (error: Error) => void): unknown }>(
  source: T,
  log: Log,
): T {
  source.on('error', (error) =>
    log.warn('queue connection failed; BullMQ reconnects', { queue: source.name, error: messageOf(error) }),
  );
  return source;
}

/** How many jobs wait in a queue, also in a paused one, whose jobs the Postgres engine counts apart. */
export async function countWaitingJobs(queue: JobQueue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'paused' as 'waiting');
}

/** Creates or migrates the tables of the Postgres engine. Several processes may call it at once. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'release' });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
