import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.ts';
import { startRedis, type RedisServer } from '../../test/support/redis.ts';
import { until } from '../../test/support/until.ts';
import { environment } from '../environment.ts';
import { killAll, runToEnd, supervise, type Supervised } from '../supervised.ts';
import { FaultyPostgres } from './postgres.ts';

export type Engine = 'postgres' | 'redis';

const SHIFTED_CLOCK = fileURLToPath(new URL('../../test/support/shifted-clock.mjs', import.meta.url));
const WORKS_WITHIN_MS = 60_000;
/** Room for the data of a run and of the standby; little enough to be filled in a second. */
const DISK = '1g';

/** A process on a machine of its own: its clock can be set. */
export interface Machine extends Supervised {
  setClock(shiftSeconds: number): void;
}

/** One web, two workers, Postgres and, unless the queues are in Postgres, Redis. */
export interface Stand {
  readonly engine: Engine;
  readonly folder: string;
  /** The variables of the processes' next start. */
  readonly env: NodeJS.ProcessEnv & { DATABASE_URL: string };
  readonly origin: string;
  readonly web: Machine;
  readonly workers: readonly [Machine, Machine];
  /** The server that takes writes: a failover replaces it. */
  postgres: FaultyPostgres;
  redis: RedisServer | null;
  /** Every Postgres that was started. */
  readonly servers: FaultyPostgres[];
  /** The small disk of Postgres; null where it cannot be mounted. */
  readonly disk: string | null;
  /** What is started beside, ended with the stand. */
  readonly closers: (() => Promise<unknown>)[];
  close(): Promise<void>;
}

/** Starts everything; with `hasDisk` the data of Postgres is on a small disk of its own. */
export async function openStand(engine: Engine, hasDisk: boolean): Promise<Stand> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chaos-')));
  const disk = hasDisk ? mountDisk(join(folder, 'disk')) : null;
  const postgres = await FaultyPostgres.start(join(disk ?? folder, 'data'));
  const redis = engine === 'redis' ? await startRedis() : null;
  const port = await freePort();
  const env: Stand['env'] = environment(postgres.url, redis?.url ?? null, port);
  await runToEnd('release', env, join(folder, 'release.log'));
  const machine = (name: string, program: 'web' | 'worker'): Machine => {
    const clock = join(folder, `${name}.clock`);
    const setClock = (shiftSeconds: number) => writeFileSync(clock, String(shiftSeconds));
    setClock(0);
    const own = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, SHIFT_FILE: clock };
    return Object.assign(
      supervise(name, program, () => ({ ...env, ...own }), folder),
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
    servers: [postgres],
    disk,
    closers: [],
    async close() {
      open.delete(stand);
      const ends = [stand.web, ...stand.workers].map((one) => one.stop());
      killAll();
      await Promise.all(ends);
      for (const close of stand.closers) await close();
      await stand.redis?.stop();
      for (const server of stand.servers) {
        await server.thaw();
        await server.end('SIGQUIT');
      }
      if (disk !== null) spawnSync('umount', [disk]);
    },
  };
  open.add(stand);
  await until('all processes work', () => allOf(stand).every((one) => one.isWorking()), WORKS_WITHIN_MS);
  return stand;
}

const open = new Set<Stand>();

/** Ends what is open, when the run is interrupted. */
export async function closeStands(): Promise<void> {
  await Promise.all([...open].map((stand) => stand.close()));
}

/** All processes. */
export function allOf({ web, workers }: Stand): readonly Machine[] {
  return [web, ...workers];
}

/** Ends processes by `how`, and waits until each was started again and works. */
export async function restartBy(machines: readonly Machine[], how: 'kill' | 'terminate'): Promise<void> {
  const before = machines.map(({ logs }) => logs.length);
  for (const one of machines) one[how]();
  const works = (one: Machine, i: number) => one.logs.length > (before[i] ?? 0) && one.isWorking();
  await until(
    `${machines.map(({ name }) => name).join(', ')} work again`,
    () => machines.every(works),
    WORKS_WITHIN_MS,
  );
}

/** Mounts a small file system in memory; null without the right to. */
function mountDisk(path: string): string | null {
  mkdirSync(path);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'chaos', path]);
  return status === 0 ? path : null;
}
