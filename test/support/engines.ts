import type { Environment } from '../../src/platform/config/config.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from './redis.ts';

/** A queue engine under test. */
export interface Engine {
  readonly name: 'postgres' | 'redis';
  /** What selects it, for `createHarness`; it is ready and empty. */
  env(): Promise<Environment>;
  /** Throws away everything that it holds, as FLUSHALL does. */
  flush(): Promise<void>;
}

const postgres: Engine = {
  name: 'postgres',
  env: () => Promise.resolve({}),
  // Its tables are in the database that each test has to itself.
  flush: () => Promise.reject(new Error('the engine on Postgres is as durable as the payments')),
};

/** Tests empty their database of Redis, so each worker of `mocha --parallel` has one to itself. */
const { REDIS_URL: given, MOCHA_WORKER_ID: worker = '0' } = process.env;
let server: RedisServer | null = null;
let url: string | null = null;

const redis: Engine = {
  name: 'redis',
  async env() {
    url ??= given ? await emptyRedis(databaseOf(given, Number(worker))) : (server = await startRedis()).url;
    await redis.flush();
    return { REDIS_URL: url };
  },
  async flush() {
    if (url !== null) await redisCall(url, 'FLUSHDB');
  },
};

/**
 * The engines that the tests of queues run on: BullMQ's own on Postgres always, Redis where REDIS_URL is set
 * (to one that is empty, for these tests empty it), or where there is a `redis-server` or `valkey-server`, of
 * which the run then starts its own.
 */
export const ENGINES: readonly Engine[] = given || redisCommand !== null ? [postgres, redis] : [postgres];

/** Says which engines the run tests, and why not on Redis. */
export function describeEngines(): string {
  const how = given ? 'REDIS_URL' : redisCommand;
  return ENGINES.length === 2
    ? `Queue engines tested: BullMQ on Postgres, BullMQ on Redis (${how}).`
    : 'Queue engines tested: BullMQ on Postgres. Not on Redis: REDIS_URL is not set, and there is no redis-server or valkey-server.';
}

/** Ends the Redis that `env` started, or empties the given one; a later `env` has it ready again. */
export async function stopEngines(): Promise<void> {
  if (server === null) return redis.flush();
  await server.stop();
  server = null;
  url = null;
}

/** The n-th database after the one that the URL names. */
function databaseOf(redisUrl: string, n: number): string {
  const database = new URL(redisUrl);
  database.pathname = `/${Number(database.pathname.slice(1)) + n}`;
  return database.href;
}

async function emptyRedis(redisUrl: string): Promise<string> {
  const size = await redisCall(redisUrl, 'DBSIZE');
  if (size !== 0)
    throw new Error(
      `REDIS_URL points to a database with ${String(size)} keys, and the tests would delete them`,
    );
  return redisUrl;
}
