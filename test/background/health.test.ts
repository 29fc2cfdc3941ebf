import type { Queue } from 'bullmq';
import { expect } from 'chai';
import winston from 'winston';
import { openQueueEngine, type QueueEngine } from '../../src/background/queues.ts';
import type { Background } from '../../src/background/start.ts';
import { databaseCheck } from '../../src/domain/ops/health/database.ts';
import { Monitor, type HealthReport } from '../../src/domain/ops/health/monitor.ts';
import { newProcess } from '../../src/domain/ops/health/processes.ts';
import { queuesCheck } from '../../src/domain/ops/health/queues.ts';
import { ENGINES } from '../support/engines.ts';
import { syncChain } from '../../src/domain/payments/lifecycle/jobs.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { queueOfJobs } from '../support/health.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const SILENT = winston.createLogger({ silent: true });
const LOOK_SECONDS = 5;
const PAUSED = ['settlement', 'webhook-delivery'] as const;
const PAYMENTS = 20;
const DELIVERIES = 50_000;

for (const engine of ENGINES)
  describe(`the health of queues on ${engine.name}`, () => {
    let service: Service;
    let worker: Background;
    let monitor: Monitor;
    let queues: QueueEngine;
    const open = async () => {
      service = await startService(engine);
      worker = await service.startWorker({ log: SILENT });
      const { ctx, adapters } = service.harness;
      const own = newProcess('worker', ctx.now());
      monitor = new Monitor(
        SILENT,
        databaseCheck(ctx, own, () => ({ queues: worker.runs.byQueue() })),
        [queuesCheck(ctx, queueOfJobs(adapters))],
      );
      queues = openQueueEngine(ctx.config, ctx.log);
    };
    beforeEach(open);
    afterEach(async () => {
      await queues.close();
      await service.close();
    });

    /** Lets 5 s pass, in which the worker consumes what it can, and looks. */
    const pass = async (): Promise<HealthReport> => {
      const { harness } = service;
      harness.advance(LOOK_SECONDS);
      const now = harness.ctx.now();
      const job = { job: syncChain, key: 'bitcoin', runAt: now, testClock: null };
      await schedule(harness.ctx.db, [job]);
      await until('the worker has synced a chain', () => {
        const finishedAt = worker.runs.byQueue().confirmations?.finishedAt ?? null;
        return finishedAt !== null && finishedAt >= now;
      });
      // The beat of this look is what the next one reads.
      await monitor.lookOnce();
      return monitor.lookOnce();
    };

    it('is bad within 60 s while two queues are paused, names them and no others, and is good again', async () => {
      const { shop, harness } = service;
      const paused = PAUSED.map((name) => queues.openQueue(name) as Queue);
      for (const queue of paused) await queue.pause();
      const ids = await Promise.all(Array.from({ length: PAYMENTS }, () => shop.create()));
      for (const id of ids) await shop.pay(id);
      await service.passUntil('all are confirmed', async () => {
        const payments = await Promise.all(ids.map((id) => shop.payment(id)));
        return payments.every(({ status }) => status === 'PROCESSING');
      });
      const begin = harness.ctx.now().getTime();
      let report = await pass();
      while (report.faults.length < PAUSED.length && harness.ctx.now().getTime() < begin + 60_000)
        report = await pass();
      expect(report.faults.map(({ reason }) => reason.split(':')[0])).to.have.members([...PAUSED]);
      expect(report.faults[0]?.reason).to.match(/^settlement: 20 jobs are due, .*paused\?$/);
      for (const queue of paused) await queue.resume();
      await service.passUntil('it is good', async () => (await monitor.lookOnce()).faults.length === 0);
      await Promise.all(paused.map((queue) => queue.close()));
    });

    it(`stays good with ${DELIVERIES} due deliveries to an endpoint that fails, and when its merchant disables webhooks`, async () => {
      const { harness, shop } = service;
      const dead: Receiver = await startReceiver({ answer: () => ({ status: 500 }) });
      await service.request('PUT', '/v1/webhooks/config', { webhookUrl: dead.url, enabled: true });
      const id = await shop.create();
      await dead.waitFor(1);
      await harness.ctx.db.raw(
        `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
           next_attempt_at, created_at)
         SELECT substr(d.id, 1, 20) || lpad(i::text, 10, '0'), d.event_id, merchant_id, payment_id || i, endpoint_id,
           1, type, 'pending', ?::timestamptz, d.created_at
         FROM deliveries d, generate_series(1, ?::integer) AS i WHERE d.payment_id = ?`,
        [harness.ctx.now(), DELIVERIES, id],
      );
      for (let looks = 0; looks < 20; looks += 1) expect((await pass()).faults).to.deep.equal([]);
      expect(dead.requests.length).to.be.greaterThan(1);
      await service.request('PUT', '/v1/webhooks/config', { webhookUrl: dead.url, enabled: false });
      for (let looks = 0; looks < 20; looks += 1) expect((await pass()).faults).to.deep.equal([]);
      await dead.close();
    });
  });
