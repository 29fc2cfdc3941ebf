import { expect } from 'chai';
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisCommand } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { build, endAll, startNode, type Service } from '../processes/service.ts';

/** With a disk, Postgres, Redis, web and two workers. */
const ALL = ['--faults', 'postgres: disk full'];
/** A run's start is that of some ten processes, which other tests may keep waiting. */
const PATIENCE_MS = 150_000;

describe('the chaos run', function () {
  this.timeout(2 * PATIENCE_MS);
  let built: string;
  let folder: string;
  before(function () {
    if (redisCommand === null || process.platform !== 'linux') this.skip();
    built = build();
  });
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'test-chaos-')));
  });
  afterEach(async () => {
    await endAll();
    await until('all is swept', () => leftOf(folder).length === 0, PATIENCE_MS);
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (args: readonly string[], buildFolder = built): Service =>
    startNode(['--import', 'tsx', 'chaos/run.ts', ...args], { TMPDIR: folder, CHAOS_BUILD: buildFolder });
  const endOf = async (run: Service) => {
    await until('it ends', () => run.isOver(), PATIENCE_MS);
    return run.ended();
  };
  const aWorkerRuns = () =>
    until('a worker runs', () => namesOf(folder, /worker\.js/).length > 0, PATIENCE_MS);

  it('leaves nothing when its own start fails, and says what failed', async () => {
    const run = start(ALL, join(folder, 'no-build'));
    expect(await endOf(run)).to.equal(1);
    expect(run.output()).to.include('release ended with 1').and.to.include('Cannot find module');
    expect(leftOf(folder)).to.deep.equal([]);
  });

  it('leaves nothing when SIGINT comes while it makes a Postgres', async () => {
    const run = start([]);
    await until('initdb runs', () => namesOf(folder, /initdb /).length > 0, PATIENCE_MS);
    run.signal('SIGINT');
    expect(await endOf(run)).to.equal(130);
    expect(leftOf(folder)).to.deep.equal([]);
  });

  it('leaves nothing when SIGTERM comes while its Postgres is stopped', async () => {
    const run = start(ALL);
    await aWorkerRuns();
    const [server] = processesOf(folder).filter(({ name }) => name.includes('/postgres -D'));
    expect(server).not.to.equal(undefined);
    const children = readFileSync(`/proc/${server?.pid}/task/${server?.pid}/children`, 'utf8').trim();
    for (const pid of [server?.pid, ...children.split(' ')]) process.kill(Number(pid), 'SIGSTOP');
    run.signal('SIGTERM');
    expect(await endOf(run)).to.equal(143);
    expect(leftOf(folder)).to.deep.equal([]);
  });

  it('leaves nothing when it is killed itself', async () => {
    const run = start(ALL);
    await aWorkerRuns();
    run.signal('SIGKILL');
    await endOf(run);
    await until('all is swept', () => leftOf(folder).length === 0, PATIENCE_MS);
  });
});

/** The processes that work in the folder, or have it on their command line or in their environment. */
function processesOf(folder: string): { pid: string; name: string }[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const [name = '', environment = ''] = ['cmdline', 'environ'].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' '),
        );
        const place = readlinkSync(`/proc/${pid}/cwd`);
        return `${name} ${environment} ${place}`.includes(folder) ? [{ pid, name }] : [];
      } catch {
        // It is gone, or another user's.
        return [];
      }
    });
}

function namesOf(folder: string, pattern: RegExp): string[] {
  return processesOf(folder)
    .map(({ name }) => name)
    .filter((name) => pattern.test(name));
}

/** Processes, mounts and files below the folder. */
function leftOf(folder: string): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  // The cache of tsx is no part of the run.
  const files = readdirSync(folder).filter((name) => !name.startsWith('tsx-'));
  return [...namesOf(folder, /./), ...mounts.filter((line) => line.includes(folder)), ...files];
}
