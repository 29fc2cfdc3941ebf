import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { LEASE_SECONDS } from '../../src/domain/schedule/beats.ts';
import { INITIAL_CONCURRENCY } from '../../src/domain/webhooks/endpoints/flow-control.ts';
import { run, sql } from '../../src/platform/postgres/db.ts';
import type { Doom } from '../support/doomed-worker.ts';
import { ENGINES } from '../support/engines.ts';
import { hang } from '../support/receivers.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const WORKER = fileURLToPath(new URL('../support/doomed-worker.ts', import.meta.url));

const attempts = sql<{ delivery_id: string; number: number; error_class: string | null }>(
  'test_attempts_after_a_crash',
  'SELECT delivery_id, number, error_class FROM delivery_attempts ORDER BY delivery_id, number',
);
const dueFanOuts = sql<{ visible_at: Date }>(
  'test_due_fan_outs',
  `SELECT visible_at FROM scheduled_jobs WHERE job = 'event.fan-out'`,
);

for (const engine of ENGINES)
  describe(`kill -9, with queues on ${engine.name}`, () => {
    let service: Service;
    afterEach(() => service.close());

    /**
     * Starts a worker process, waits until it has come as far as it should, and kills it when `ready`
     * resolves.
     */
    const die = async (moment: Doom['moment'], ready: () => Promise<unknown> = () => Promise.resolve()) => {
      const { ctx } = service.harness;
      const doom: Doom = {
        env: {
          NODE_ENV: 'test',
          DATABASE_URL: ctx.config.databaseUrl,
          ...(ctx.config.redisUrl === null ? {} : { REDIS_URL: ctx.config.redisUrl }),
          WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
          LOG_LEVEL: 'error',
        },
        now: ctx.now().toISOString(),
        moment,
      };
      const child = spawn(process.execPath, ['--import', 'tsx', WORKER], {
        env: { ...process.env, DOOM: JSON.stringify(doom) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      for await (const line of createInterface(child.stdout)) if (line === moment) break;
      // Killed in any case: a worker that is left over would take the work of all tests after this one.
      await ready().finally(() => child.kill('SIGKILL'));
      expect((await exited)[1]).to.equal('SIGKILL');
    };
    const eventIds = () =>
      service.receiver.requests.map(({ headers }) => String(headers['webhook-id'])).sort();
    const expectEachOnceUnderItsOwnId = async (ids: readonly string[]) => {
      const recorded = await Promise.all(
        ids.map(async (id) => (await service.shop.events(id)).map((event) => event.id)),
      );
      expect(eventIds()).to.deep.equal(recorded.flat().sort());
    };

    it('of a worker that has leased: another takes its jobs over long before the lease ends', async () => {
      service = await startService(engine);
      const ids = await Promise.all(Array.from({ length: 12 }, () => service.shop.create()));
      await die('leased');
      const leases = await run(service.harness.ctx.db, dueFanOuts, []);
      const leaseEnd = new Date(service.harness.ctx.now().getTime() + LEASE_SECONDS * 1000);
      expect(leases.map(({ visible_at }) => visible_at)).to.deep.equal(ids.map(() => leaseEnd));
      await service.startWorker();
      // The clock stands still: no lease ends by itself.
      await service.receiver.waitFor(ids.length);
      await expectEachOnceUnderItsOwnId(ids);
    });

    it('of a process that has enqueued: whoever takes the run does it, and nothing is done twice', async () => {
      service = await startService(engine);
      const ids = await Promise.all(Array.from({ length: 12 }, () => service.shop.create()));
      await die('enqueued');
      await service.startWorker();
      await service.receiver.waitFor(ids.length);
      // Recorded, too: with half a minute gone, what is not would be taken for lost.
      const isRecorded = async () => (await run(service.harness.ctx.db, attempts, [])).length === ids.length;
      await until('each is recorded', isRecorded);
      service.harness.advance(LEASE_SECONDS);
      // Whatever the ended leases bring is done when something later is: a queue is first in, first out.
      const later = await service.shop.create();
      await service.receiver.waitFor(ids.length + 1);
      await expectEachOnceUnderItsOwnId([...ids, later]);
    });

    it('of a worker while its webhooks are in flight: they are sent again, with the same ids and bytes', async () => {
      let isHanging = true;
      service = await startService(engine, { receiver: { answer: () => (isHanging ? hang : {}) } });
      // As many as are sent to one endpoint at once at first.
      const ids = await Promise.all(Array.from({ length: INITIAL_CONCURRENCY }, () => service.shop.create()));
      await die('working', () => service.receiver.waitFor(ids.length));
      expect(await run(service.harness.ctx.db, attempts, [])).to.deep.equal([]);
      isHanging = false;
      await service.startWorker();
      await service.receiver.waitFor(2 * ids.length);
      const bodies = new Map(
        service.receiver.requests.map(({ headers, rawBody }) => [headers['webhook-id'], rawBody.toString()]),
      );
      expect(bodies.size).to.equal(ids.length);
      for (const { headers, rawBody } of service.receiver.requests)
        expect(bodies.get(headers['webhook-id'])).to.equal(rawBody.toString());
      await service.passUntil('the log has each interrupted attempt, and each second one', async () => {
        const rows = await run(service.harness.ctx.db, attempts, []);
        const errors = rows.map(({ number, error_class }) => `${number} ${error_class}`);
        return errors.join() === ids.flatMap(() => ['1 interrupted', '2 null']).join();
      });
    });
  });
