import { randomBytes } from 'node:crypto';
import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { openQueueEngine } from '../../src/background/queues.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import { SILENT } from '../../src/platform/log.ts';
import { sideBySide } from '../browser/side-by-side.ts';
import { ENGINES } from '../support/engines.ts';
import { redisCall, redisCommand, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { freePort, startProcess } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

/** What an operator is promised: a red signal within this time of a failure. */
const RED_WITHIN_MS = 60_000;

interface Status {
  readonly status: string;
  readonly checks?: readonly { readonly check: string; readonly reason: string }[];
}

const statusOf = async (web: Web) => (await (await web.api('GET', '/v1/status')).json()) as Status;
const untilRed = (web: Web, reason: RegExp) =>
  until(
    `the status gives ${reason}`,
    async () => (await statusOf(web)).checks?.some((fault) => reason.test(fault.reason)) === true,
    RED_WITHIN_MS,
  );

describe('a service that is in trouble', function () {
  this.timeout(180_000);
  // Beside each other: nearly all of their time they wait for what production allows a fault to last.
  const check = sideBySide();
  const closing: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });
  const openStand = async (env?: Environment): Promise<Stand> => {
    const stand = await createStand(env);
    closing.push(() => stand.close());
    return stand;
  };

  for (const engine of ENGINES)
    check(
      `is degraded while a queue is paused, and its worker alive, with queues on ${engine.name}`,
      async () => {
        const stand = await openStand(await engine.env());
        const [web, worker] = await Promise.all([stand.startWeb(), stand.startWorker()]);
        const queues = openQueueEngine(readConfig(stand.env), SILENT);
        const settlement = queues.openQueue('settlement') as Queue;
        await settlement.pause();
        const body = { pay_amount: '10.50', order_id: 'paused' };
        expect((await web.api('POST', '/v1/payment', body)).status).to.equal(201);
        await untilRed(web, /^settlement: 1 job is due/);
        expect(await worker.health()).to.equal(0);
        const ops = startProcess('ops', stand.env, ['status']);
        expect(await ops.ended(), ops.output()).to.equal(1);
        expect(ops.output()).to.match(/^WRONG health +queues: settlement: 1 job is due/m);
        expect(ops.output()).to.match(/^WRONG queues +(.*\n +)*settlement: .* in a PAUSED queue/m);
        await settlement.resume();
        await until('it is well', async () => (await statusOf(web)).status === 'ok');
        await settlement.close();
        await queues.close();
      },
    );

  const checkWithRedis = redisCommand === null ? it.skip : check;
  checkWithRedis(
    'is degraded while Redis hangs, is out of memory or a replica; web stays ready, the worker does not',
    async () => {
      const redis = await startRedis();
      closing.push(() => redis.stop());
      const stand = await openStand({ REDIS_URL: redis.url });
      const adminPort = await freePort();
      const web = await stand.startWeb();
      const worker = await stand.startWorker({ ADMIN_PORT: String(adminPort) });
      const ready = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
      const live = async (port: number) => (await fetch(`http://127.0.0.1:${port}/livez`)).status;
      expect([await ready(web.port), await ready(adminPort)]).to.deep.equal([200, 200]);
      redis.freeze();
      await untilRed(web, /^Redis: no reply in time/);
      await until('the worker is not ready', async () => (await ready(adminPort)) === 503);
      worker.age(31);
      await until('the worker gives another sign of life', async () => (await worker.health()) === 0);
      expect([await ready(web.port), await live(web.port), await live(adminPort)]).to.deep.equal([
        200, 200, 200,
      ]);
      redis.thaw();
      await until('it is well', async () => (await statusOf(web)).status === 'ok');
      await redisCall(redis.url, 'CONFIG', 'SET', 'maxmemory', '1');
      await untilRed(web, /^Redis: out of memory/);
      const ops = startProcess('ops', stand.env, ['status']);
      expect(await ops.ended(), ops.output()).to.equal(1);
      expect(ops.output()).to.match(/^WRONG health +(.*\n +)*redis: Redis: out of memory/m);
      await redisCall(redis.url, 'CONFIG', 'SET', 'maxmemory', '0');
      await until('it is well again', async () => (await statusOf(web)).status === 'ok');
      await redisCall(redis.url, 'REPLICAOF', '127.0.0.1', '1');
      await untilRed(web, /^Redis: read-only/);
    },
  );

  check('does not start with another SECRETS_KEY than the database was written with', async () => {
    const stand = await openStand();
    const SECRETS_KEY = randomBytes(32).toString('base64');
    for (const name of ['web', 'worker'] as const) {
      const wrong = startProcess(name, { ...stand.env, PORT: String(await freePort()), SECRETS_KEY });
      expect(await wrong.ended(), name).to.equal(1);
      expect(wrong.output()).to.match(/^SECRETS_KEY is not the key of this database/m);
      expect(wrong.output()).to.not.include(SECRETS_KEY);
    }
  });
});
