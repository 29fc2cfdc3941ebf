import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis, type RedisServer } from '../test/support/redis.ts';
import { until } from '../test/support/until.ts';
import { freePort } from '../test/processes/service.ts';
import { startPostgres, type RestartablePostgres } from './restartable.ts';
import { killAll, runToEnd, supervise, type Supervised } from './supervised.ts';

/** The deadline of a webhook request: a response that drips occupies a slot that long. */
const TIMEOUT_SECONDS = 2;
/** More attempts than a run needs: no delivery may fail for good within it. */
const RETRY_SECONDS = [0.5, 1, 1, 2, 2, ...Array.from({ length: 200 }, () => 3)].join(',');
const START_WITHIN_MS = 30_000;

/** The service as in production, with Postgres and Redis. */
export interface Environment {
  /** Data, logs and temporary files. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv & { readonly DATABASE_URL: string };
  /** The origin of the web process. */
  readonly origin: string;
  readonly web: Supervised;
  readonly workers: readonly [Supervised, Supervised];
  readonly redis: RedisServer;
  readonly postgres: RestartablePostgres;
  /** Ends all processes at once; the folder stays. */
  close(): Promise<void>;
}

/** Starts Postgres, Redis, the release, one web and two workers. */
export async function startEnvironment(): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const postgres = await startPostgres(folder);
  try {
    return await startOn(postgres, folder);
  } catch (error) {
    killAll();
    // Otherwise Postgres would outlive this process.
    await postgres.stop();
    throw error;
  }
}

async function startOn(postgres: RestartablePostgres, folder: string): Promise<Environment> {
  const redis = await startRedis();
  const port = await freePort();
  const env = environment(postgres.url, redis.url, port);
  await runToEnd('release', env, join(folder, 'release.log'));
  const web = supervise('web', 'web', () => env, folder);
  const workers = [
    supervise('worker-1', 'worker', () => env, folder),
    supervise('worker-2', 'worker', () => env, folder),
  ] as const;
  const all = [web, ...workers];
  await until('all processes work', () => all.every((one) => one.isWorking()), START_WITHIN_MS);
  return {
    folder,
    env,
    origin: `http://127.0.0.1:${port}`,
    web,
    workers,
    redis,
    postgres,
    async close() {
      const ends = all.map((one) => one.stop());
      killAll();
      await Promise.all(ends);
      await redis.stop();
      await postgres.stop();
    },
  };
}

/** The variables of the processes; without `redisUrl` the queues are in Postgres. */
export function environment(databaseUrl: string, redisUrl: string | null, port: number) {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://pay.example',
    PORT: String(port),
    HOST: '127.0.0.1',
    RATE_LIMIT_SCALE: '1000000',
    SIMULATOR_AUTOPAY_SECONDS: '1',
    SIMULATOR_BLOCK_SECONDS: '0.2',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
    WEBHOOK_RETRY_SECONDS: RETRY_SECONDS,
  };
}
