import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres/start.ts';
import { createStand, type Stand } from '../processes/stand.ts';
import { build, endAll, startProcess } from '../processes/service.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';

const PAYMENTS = 20;
const EVENTS_OF_A_PAYMENT = 4;

/** A cell with stores that listen on ports of their own, as on machines of their own. */
interface Cell {
  readonly name: string;
  readonly stand: Stand;
  readonly receiver: Receiver;
  readonly processes: Map<string, number>;
  /** What listens in the cell, by port. */
  readonly ports: Map<number, string>;
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  close(): Promise<void>;
}

describe('two cells at work', function () {
  this.timeout(120_000);
  if (process.platform !== 'linux' || redisCommand === null) {
    it('(needs /proc of Linux, and Redis)');
    return;
  }
  const cells: Cell[] = [];
  before(async () => {
    for (const name of ['a', 'b']) cells.push(await openCell(name));
  });
  after(async () => {
    await endAll();
    for (const cell of cells) await cell.close();
  });

  it('have no connection to each other, as the kernel lists them', async () => {
    const seen = await watchWhile(cells, () => Promise.all(cells.map(work)));
    // What is looked at is there: each process is seen with the stores of its own cell.
    for (const { name } of cells)
      for (const process of ['web', 'worker'])
        for (const store of ['Postgres', 'Redis'])
          expect(seen).to.include(`${process} of ${name} to ${store} of ${name}`);
    expect(seen.filter(isCrossing)).to.deep.equal([]);
  });

  it('are seen to be connected where a process of one has a store of the other', async () => {
    const [a, b] = cells;
    if (a === undefined || b === undefined) throw new Error('two cells');
    const stray = startProcess('worker', { ...b.stand.env, REDIS_URL: a.stand.env.REDIS_URL });
    await stray.says('"working"');
    b.processes.set('stray worker', stray.pid);
    const seen = await watchWhile(cells, async () => undefined);
    stray.signal('SIGTERM');
    await stray.ended();
    b.processes.delete('stray worker');
    expect(seen.filter(isCrossing)).to.deep.equal(['stray worker of b to Redis of a']);
  });
});

/** Whether the process and the store of a line are in different cells. */
function isCrossing(line: string): boolean {
  const [, own, other] = / of (\w+) to .* of (\w+)$/.exec(line) ?? [];
  return own !== other;
}

async function openCell(name: string): Promise<Cell> {
  const folder = mkdtempSync(join(tmpdir(), 'test-cells-apart-'));
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    flags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
    log: () => undefined,
  });
  const redis: RedisServer = await startRedis();
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    CELL: name,
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  build();
  const release = startProcess('release', {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://pay.example',
    ...env,
  });
  expect(await release.ended(), release.output()).to.equal(0);
  const stand = await createStand(env, { url: postgres.url, drop: async () => undefined });
  const receiver = await startReceiver();
  const web = await stand.startWeb();
  const worker = await stand.startWorker();
  const portOf = (url: string) => Number(new URL(url).port);
  return {
    name,
    stand,
    receiver,
    processes: new Map([
      ['web', web.pid],
      ['worker', worker.pid],
    ]),
    ports: new Map([
      [postgres.port, 'Postgres'],
      [portOf(redis.url), 'Redis'],
      [web.port, 'web'],
    ]),
    ask: (method, path, body) => web.api(method, path, body),
    async close() {
      await receiver.close();
      await stand.close();
      await redis.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates payments, which are paid at once, and waits until all their events are delivered. */
async function work(cell: Cell): Promise<void> {
  const { stand, receiver } = cell;
  await stand.rows('UPDATE merchants SET webhooks_enabled = true, webhook_url = ?', [receiver.url]);
  for (let made = 0; made < PAYMENTS; made += 1) {
    const order = { pay_amount: '10.50', order_id: `order-${made}` };
    const response = await cell.ask('POST', '/v1/payment', order);
    expect(response.status, await response.text()).to.equal(201);
  }
  await receiver.waitFor(PAYMENTS * EVENTS_OF_A_PAYMENT, { timeoutMs: 60_000 });
}

/** All connections of the cells' processes to what listens in a cell, while `work` is done; each once. */
async function watchWhile(cells: readonly Cell[], work: () => Promise<unknown>): Promise<string[]> {
  const seen = new Set<string>();
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  const watching = until('the work is done', () => {
    for (const line of connectionsOf(cells)) seen.add(line);
    return isDone;
  });
  await Promise.all([working, watching]);
  return [...seen].toSorted();
}

function connectionsOf(cells: readonly Cell[]): string[] {
  const remotes = remotePorts();
  return cells.flatMap(({ name, processes }) =>
    [...processes].flatMap(([process, pid]) =>
      socketsOf(pid).flatMap((inode) =>
        cells.flatMap((other) => {
          const store = other.ports.get(remotes.get(inode) ?? 0);
          return store === undefined ? [] : [`${process} of ${name} to ${store} of ${other.name}`];
        }),
      ),
    ),
  );
}

/** The inodes of a process's sockets. */
function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      // It was closed between being listed and being read.
      return [];
    }
  });
}

/** The remote port of each TCP socket of the machine, by its inode (proc_net_tcp(5)); 0 where it listens. */
function remotePorts(): ReadonlyMap<string, number> {
  const lines = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, 'utf8').trim().split('\n').slice(1),
  );
  return new Map(
    lines.map((line) => {
      const fields = line.trim().split(/\s+/);
      return [fields[9] ?? '', Number.parseInt(fields[2]?.split(':')[1] ?? '0', 16)];
    }),
  );
}
