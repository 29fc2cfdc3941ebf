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

const { REDIS_URL: given } = process.env;
let server: RedisServer | null = null;
let url: string | null = null;

const redis: Engine = {
  name: 'redis',
  async env() {
    url ??= given ? await emptyRedis(given) : (server = await startRedis()).url;
    await redis.flush();
    return { REDIS_URL: url };
  },
  async flush() {
    if (url !== null) await redisCall(url, 'FLUSHDB');
  },
};

/**
 * The engines that the tests of queues run on: BullMQ's own on Postgres always, Redis where REDIS_URL is set (to one that is empty, for
 * these tests empty it), or where there is a `redis-server` or `valkey-server`, of which the run then starts one of its own.
 */
export const ENGINES: readonly Engine[] = given || redisCommand !== null ? [postgres, redis] : [postgres];

async function emptyRedis(redisUrl: string): Promise<string> {
  const size = await redisCall(redisUrl, 'DBSIZE');
  if (size !== 0)
    throw new Error(
      `REDIS_URL points to a database with ${String(size)} keys, and the tests would delete them`,
    );
  return redisUrl;
}

// Where this file is imported first, all tests of the run are below; a run without tests of queues says nothing about engines.
after(async () => {
  const how = given ? 'REDIS_URL' : redisCommand;
  console.log(
    ENGINES.length === 2
      ? `Queue engines tested: BullMQ on Postgres, BullMQ on Redis (${how}).`
      : 'Queue engines tested: BullMQ on Postgres. Not on Redis: REDIS_URL is not set, and there is no redis-server or valkey-server.',
  );
  await server?.stop();
});
