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
import type { QueueName } from '../platform/job.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/log.ts';
import { openRedis } from '../platform/redis.ts';

/** What every job carries: the keys of its due work. */
export interface JobData {
  readonly keys: readonly string[];
  /** The world that the keys belong to; absent: the shared one. */
  readonly testClock?: string;
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

/** BullMQ on Redis or on Postgres: nothing outside this file knows which. */
export interface QueueEngine {
  readonly name: 'redis' | 'postgres';
  openQueue(name: QueueName): JobQueue;
  openWorker(name: QueueName, process: Processor<JobData>, concurrency: number): JobWorker;
  /** Ends the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** The braces make every key of ours live in one slot of a Redis Cluster. */
const PREFIX = '{checkout}';

/** Retries belong to due work in Postgres, so a job is tried once. Failed ones stay a day for people to look at. */
const JOB_OPTIONS = { attempts: 1, removeOnFail: { age: 86_400, count: 1_000 } } as const;
/**
 * Done jobs stay a little while, for people to look at: on Redis the latest, on Postgres those of the last minute, because keeping a
 * count there would cost more than half of the throughput (956 instead of 2,550 jobs a second, measured).
 */
const REDIS_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: { count: 100 } } as const;
const POSTGRES_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: { age: 60 } } as const;

/** A worker that died is noticed after 30 s: as long as a relay waits for due work that it handed over. */
const STALLED_INTERVAL_MS = 15_000;

/** Opens the engine that the configuration asks for: Redis when REDIS_URL is set, the service's own Postgres when not. */
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
      listened(new Queue<JobData>(name, { ...options, defaultJobOptions: REDIS_JOB_OPTIONS }), log),
    openWorker: (name, process, concurrency) =>
      listened(
        new Worker<JobData>(name, process, { ...options, concurrency, stalledInterval: STALLED_INTERVAL_MS }),
        log,
      ),
    async close() {
      await connection.quit().catch(() => connection.disconnect());
    },
  };
}

/** More connections than these make BullMQ's Postgres engine slower, not faster (measured); each worker listens on one of its own. */
const POOL_SIZE = 10;

function postgresEngine(databaseUrl: string, log: Log): QueueEngine {
  let listeners = 0;
  // BullMQ's statements name its tables without a schema.
  const settings = {
    connectionString: databaseUrl,
    options: '-c search_path=bullmq',
    application_name: 'queues',
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...settings, max: POOL_SIZE });
  pool.setMaxListeners(0);
  // The pool hears of connections that lie in it; one that BullMQ has taken out, idle between two statements, would end the process when
  // Postgres ends it. Whoever uses it next gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn('a connection of the queues broke', { error: messageOf(error) }));
  // Its own description of a pool asks for an index signature that pg's class lacks.
  const connection = pool as unknown as PgPool;
  return {
    name: 'postgres',
    openQueue: (name) => {
      const queue: PostgresQueue = new Queue(
        name,
        { connection, defaultJobOptions: POSTGRES_JOB_OPTIONS },
        createPostgresBackend,
      );
      return listened(queue, log);
    },
    openWorker(name, process, concurrency) {
      listeners += 1;
      pool.options.max = POOL_SIZE + listeners;
      const options = { connection, concurrency, stalledInterval: STALLED_INTERVAL_MS };
      const worker: PostgresWorker = new Worker(name, process, options, createPostgresBackend);
      return listened(worker, log);
    },
    close: () => pool.end(),
  };
}

/** Without a listener an error would end the process; BullMQ reconnects by itself. */
function listened<T extends { name: string; on(event: 'error', listener: (error: Error) => void): unknown }>(
  source: T,
  log: Log,
): T {
  source.on('error', (error) => log.warn('queue error', { queue: source.name, error: messageOf(error) }));
  return source;
}

/** How many jobs wait in a queue, also in one that somebody has paused, which the engine on Postgres counts apart. */
export async function waitingJobs(queue: JobQueue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'paused' as 'waiting');
}

/** Creates or updates the tables of the Postgres engine. Safe to run by several processes at once. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'release' });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
