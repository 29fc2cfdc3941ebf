import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/platform/log.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startRedis, type RedisServer } from '../../test/support/redis.ts';
import { until } from '../../test/support/until.ts';
import { PATIENCE_MS } from '../requests.ts';
import { DISK, ownFolder } from './owned-folder.ts';
import { FaultyPostgres } from './postgres.ts';
import { runToEnd, supervise, tailOf, type Supervised } from './supervised.ts';

export type Engine = 'postgres' | 'redis';

const SHIFTED_CLOCK = fileURLToPath(new URL('../../test/support/shifted-clock.mjs', import.meta.url));
/** Room for the data of a run and of the standby; little enough to be filled in a second. */
const DISK_SIZE = '1g';
/** Starts of a process that never worked, after which nothing is expected of the next one. */
const VAIN_STARTS = 5;
/** The deadline of a webhook request: a response that drips occupies a slot that long. */
const TIMEOUT_SECONDS = 2;
/** More attempts than a run needs: no delivery may fail for good within it. */
const RETRY_SECONDS = [0.5, 1, 1, 2, 2, ...Array.from({ length: 200 }, () => 3)].join(',');

/** A process on a machine of its own: its clock can be set. */
export interface Machine extends Supervised {
  setClock(shiftSeconds: number): void;
}

/** The service as in production: one web, two workers, Postgres and, unless the queues are there, Redis. */
export interface Stand {
  readonly engine: Engine;
  /** Data, logs and temporary files. */
  readonly folder: string;
  /** The variables of the processes' next start. */
  readonly env: NodeJS.ProcessEnv & { DATABASE_URL: string };
  readonly origin: string;
  readonly web: Machine;
  readonly workers: readonly [Machine, Machine];
  /** The server that takes writes: a failover replaces it. */
  postgres: FaultyPostgres;
  redis: RedisServer | null;
  /** The small disk of Postgres; null where it cannot be mounted. */
  readonly disk: string | null;
  /** What a fault has started beside, and ends. */
  readonly closers: (() => Promise<unknown>)[];
  /** Copies the logs to a folder that stays, and returns its path. */
  keepLogs(): string;
  /** Ends everything at once, and removes it. This process's own end does it too. */
  close(): Promise<void>;
}

/** Starts everything; with `hasDisk` the data of Postgres is on a small disk of its own. */
export async function openStand(engine: Engine, hasDisk: boolean): Promise<Stand> {
  const owned = ownFolder();
  const folder = owned.path;
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const disk = hasDisk ? mountDisk(join(folder, DISK)) : null;
  const postgres = await FaultyPostgres.start(join(disk ?? folder, 'data'));
  const redis = engine === 'redis' ? await startRedis() : null;
  const port = await freePort();
  const env: Stand['env'] = environment(postgres.url, redis?.url ?? null, port);
  await runToEnd('release', env, join(logs, 'release.log'));
  const machine = (name: string, program: 'web' | 'worker'): Machine => {
    const clock = join(folder, `${name}.clock`);
    const setClock = (shiftSeconds: number) => writeFileSync(clock, String(shiftSeconds));
    setClock(0);
    const own = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, SHIFT_FILE: clock };
    return Object.assign(
      supervise(name, program, () => ({ ...env, ...own }), logs),
      { setClock },
    );
  };
  const stand: Stand = {
    engine,
    folder,
    env,
    origin: `http://127.0.0.1:${port}`,
    web: machine('web', 'web'),
    workers: [machine('worker-1', 'worker'), machine('worker-2', 'worker')],
    postgres,
    redis,
    disk,
    closers: [],
    keepLogs() {
      const kept = `${folder}-logs`;
      cpSync(logs, kept, { recursive: true });
      return kept;
    },
    async close() {
      const ends = allOf(stand).map((one) => one.stop());
      owned.sweep();
      await Promise.all(ends);
    },
  };
  await untilWorking(allOf(stand));
  return stand;
}

/** The variables of the processes; without `redisUrl` the queues are in Postgres. */
function environment(databaseUrl: string, redisUrl: string | null, port: number) {
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

/** All processes. */
export function allOf({ web, workers }: Stand): readonly Machine[] {
  return [web, ...workers];
}

/** Ends processes by `how`, and waits until each was started again and works. */
export async function restartBy(machines: readonly Machine[], how: 'kill' | 'terminate'): Promise<void> {
  const before = machines.map(({ logs }) => logs.length);
  for (const one of machines) one[how]();
  await untilWorking(machines, before);
}

/** Waits until each works after more starts than `before`; throws when it starts in vain, again and again. */
async function untilWorking(machines: readonly Machine[], before: readonly number[] = []): Promise<void> {
  const startsOf = (one: Machine) => one.logs.length - (before[machines.indexOf(one)] ?? 0);
  const idle = () => machines.filter((one) => startsOf(one) === 0 || !one.isWorking());
  const isReady = () => {
    if (idle().some((one) => startsOf(one) > VAIN_STARTS)) throw new Error('it starts in vain');
    return idle().length === 0;
  };
  const describe = () =>
    idle()
      .map(({ name, logs }) => `${name} does not work, in its start ${logs.length}:\n${tailOf(logs.at(-1))}`)
      .join('\n');
  await until('all processes work', isReady, PATIENCE_MS).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}: ${describe()}`, { cause: error });
  });
}

/** Mounts a small file system in memory; null without the right to. */
function mountDisk(path: string): string | null {
  mkdirSync(path);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0755`, 'chaos', path]);
  return status === 0 ? path : null;
}
