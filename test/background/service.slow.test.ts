import { expect } from 'chai';
import winston from 'winston';
import { openQueueEngine } from '../../src/background/queues.ts';
import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { syncNetwork } from '../../src/domain/payments/sync/sync-network.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { notifyDisabled } from '../../src/domain/webhooks/endpoints/jobs.ts';
import type { Payment } from '../../src/domain/payments/lifecycle/payment.ts';
import { readPayments } from '../../src/domain/payments/lifecycle/store.ts';
import { dispatchEvents } from '../../src/domain/events/dispatch.ts';
import { run, sql } from '../../src/platform/postgres/db.ts';
import { QUEUE_NAMES, type Job, type QueueName } from '../../src/domain/schedule/job.ts';
import { checkInvariants } from '../support/invariants.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type Service } from '../support/service.ts';
import type { StoredEvent } from '../support/shop.ts';
import { until } from '../support/until.ts';

/** Ethereum's, where the shop settles. */
const CONFIRMATIONS = 12;
const PAID = ['checkout.created', 'checkout.pending', 'checkout.processing', 'checkout.settled'];

const dueNow = sql<{ job: string; key: string }>(
  'test_due_now',
  'SELECT job, key FROM scheduled_jobs WHERE job = ANY ($1) AND run_at <= $2',
);
/**
 * Of payments: recurring work may fail on a busy machine, for a lock that it does not get in time, and comes
 * back by itself.
 */
const failingWork = sql<{ key: string; failures: number; last_error: string; visible_at: Date }>(
  'test_failing_work',
  'SELECT key, failures, last_error, visible_at FROM scheduled_jobs WHERE failures > 0 AND key = ANY ($1)',
);
const nowhere = { post: () => Promise.reject(new Error('not here')), close: () => Promise.resolve() };

for (const engine of ENGINES)
  describe(`the service with its queues on ${engine.name}`, () => {
    let service: Service;
    afterEach(async () => {
      try {
        await checkInvariants(service.harness.ctx.db);
      } finally {
        await service.close();
      }
    });

    const create = (count: number) => Promise.all(Array.from({ length: count }, () => service.shop.create()));
    const areAll = async (status: Payment['status'], ids: readonly string[]) => {
      const payments = await readPayments(service.harness.ctx.db, ids);
      return payments.length === ids.length && payments.every((payment) => payment.status === status);
    };
    /**
     * Each payment's events as they arrived: every type of a paid one at least once, and never one id with
     * two bodies.
     */
    const expectPaidWebhooks = (ids: readonly string[]) => {
      const bodyOf = new Map<string, string>();
      for (const { headers, rawBody } of service.receiver.requests) {
        const id = String(headers['webhook-id']);
        expect(bodyOf.get(id) ?? rawBody.toString(), id).to.equal(rawBody.toString());
        bodyOf.set(id, rawBody.toString());
      }
      const events = [...bodyOf.values()].map((body) => JSON.parse(body) as StoredEvent);
      for (const id of ids) {
        const delivered = events
          .filter(({ data }) => data.checkout.id === id)
          .sort((a, b) => a.sequence - b.sequence);
        expect(delivered.map(({ type }) => type)).to.deep.equal(PAID);
      }
    };
    const paidAndTold = (ids: readonly string[]) =>
      service.passUntil('every payment is settled, every webhook arrived', async () => {
        const ids_ = new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id']));
        return ids_.size >= ids.length * PAID.length && (await areAll('SETTLED', ids));
      });
    const jobsOf = (queue: QueueName): Job[] =>
      [...createHandlers({ ...createAdapters(service.harness.ctx.config), webhooks: nowhere }).values()]
        .map(({ job }) => job)
        .filter((job) => job.queue === queue);
    const dueOn = async (queue: QueueName) => {
      const { db, now } = service.harness.ctx;
      return run(db, dueNow, [jobsOf(queue).map(({ name }) => name), now()]);
    };
    const onlyQueues = (...workerQueues: QueueName[]) => ({
      config: { ...service.harness.ctx.config, workerQueues },
    });

    it('takes payments over HTTP and settles them, with every webhook', async () => {
      service = await startService(engine);
      const worker = await service.startWorker();
      expect(worker.engine).to.equal(engine.name);
      const ids = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const created = await service.request('POST', '/v1/payment', {
            pay_amount: '10.50',
            order_id: `o${i}`,
          });
          expect(created.status).to.equal(201);
          const { id } = created.body as { id: string };
          await service.request('POST', `/v1/sandbox/payments/${id}/transfers`, {});
          return id;
        }),
      );
      await paidAndTold(ids);
      expectPaidWebhooks(ids);
      const { body } = await service.request('GET', `/v1/payment/${ids[7]}`);
      expect(body).to.include({ status: 'SETTLED', actually_paid: '10.50' });
    });

    it('pays each payment with autopay, in two workers at once', async () => {
      service = await startService(engine, { env: { SIMULATOR_AUTOPAY_SECONDS: '0.3' } });
      await Promise.all([service.startWorker(), service.startWorker()]);
      const ids = await create(40);
      await paidAndTold(ids);
      expectPaidWebhooks(ids);
    });

    it('each queue is served by the workers that WORKER_QUEUES names, and by no other', async () => {
      service = await startService(engine, { env: { SIMULATOR_AUTOPAY_SECONDS: '3600' } });
      await prepareWorkForEveryQueue(service);
      for (const queue of QUEUE_NAMES) {
        expect(await dueOn(queue), queue).to.not.deep.equal([]);
        const others = QUEUE_NAMES.filter((name) => name !== queue);
        const before = await Promise.all(others.map(dueOn));
        const worker = await service.startWorker(onlyQueues(queue));
        await until(`${queue} is done`, async () => (await dueOn(queue)).length === 0);
        await worker.close();
        const after = await Promise.all(others.map(dueOn));
        // What was done may have made more to do, but nothing of the others' was done.
        before.forEach((work, i) =>
          expect(after[i], `${others[i]} beside ${queue}`).to.deep.include.members(work),
        );
      }
    });

    it('does what a job under way has begun before it closes, and leaves the rest to the next worker', async () => {
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      service = await startService(engine, { receiver: { answer: () => gate.then(() => ({})) } });
      const worker = await service.startWorker({
        config: { ...service.harness.ctx.config, workerConcurrency: 2 },
      });
      const ids = await create(6);
      await service.receiver.waitFor(2);
      const closing = worker.close();
      let isClosed = false;
      void closing.then(() => (isClosed = true));
      // Two requests are in flight, and nothing ends before they do.
      await service.request('GET', `/v1/payment/${ids[0]}`);
      expect(isClosed).to.equal(false);
      release();
      await closing;
      expect(await countDeliveries(service, 'delivered')).to.equal(service.receiver.requests.length);
      await service.startWorker();
      await service.passUntil('the others arrive', () => service.receiver.requests.length >= 6);
      await service.passUntil(
        'all are recorded',
        async () => (await countDeliveries(service, 'delivered')) === 6,
      );
      expect(new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(6);
    });

    it('a handler that throws delays no other job, is retried later and appears in the queue', async () => {
      service = await startService(engine);
      const ids = await create(5);
      const [poisoned = '', ...others] = ids;
      const { ctx } = service.harness;
      await ctx.db.raw(
        `ALTER TABLE payments ADD CONSTRAINT test_poison CHECK (id <> '${poisoned}' OR status <> 'EXPIRED')`,
      );
      await service.startWorker(QUIET);
      service.harness.advance(3_600);
      await service.passUntil('the others are expired', () => areAll('EXPIRED', others));
      // The failed batch runs again key by key: the others may be done before its failure is recorded.
      await service.passUntil(
        'the failure is recorded',
        async () => (await run(ctx.db, failingWork, [ids])).length > 0,
      );
      const failing = await run(ctx.db, failingWork, [ids]);
      expect(failing.map(({ key }) => key)).to.deep.equal([poisoned]);
      expect(failing[0]?.last_error).to.include('test_poison');
      await service.passUntil('it was tried again, alone', async () => {
        const [row] = await run(ctx.db, failingWork, [ids]);
        return (row?.failures ?? 0) >= 3;
      });
      const engineNow = openQueueEngine(ctx.config, ctx.log);
      const queue = engineNow.openQueue('expiration');
      expect(await queue.getJobCountByTypes('failed')).to.be.at.least(3);
      await queue.close();
      await engineNow.close();
      await ctx.db.raw('ALTER TABLE payments DROP CONSTRAINT test_poison');
      await service.passUntil(
        'it is done',
        async () => (await service.shop.payment(poisoned)).status === 'EXPIRED',
      );
    });

    it('an unknown job, or one with foreign data, fails where an operator sees it, and stops nothing', async () => {
      service = await startService(engine);
      const { ctx } = service.harness;
      const opened = openQueueEngine(ctx.config, ctx.log);
      const queue = opened.openQueue('webhook-delivery');
      const jobs: { name: string; data: unknown }[] = [
        { name: 'nobody.knows', data: { keys: ['a'] } },
        { name: 'webhook.deliver', data: { keys: 'a' } },
        { name: 'webhook.deliver', data: { keys: [1] } },
        { name: 'webhook.deliver', data: null },
        { name: 'webhook.deliver', data: {} },
      ];
      await queue.addBulk(jobs as Parameters<typeof queue.addBulk>[0]);
      await service.startWorker(QUIET);
      await until('all five have failed', async () => (await queue.getJobCountByTypes('failed')) === 5);
      await create(1);
      await service.receiver.waitFor(1);
      await queue.close();
      await opened.close();
    });

    it('Postgres ends every connection, again and again: nothing is lost, nothing leaks', async () => {
      service = await startService(engine);
      await service.startWorker(QUIET);
      const ids = await create(15);
      for (const id of ids) await service.shop.pay(id);
      for (let i = 0; i < 4; i += 1) {
        await endConnections(service);
        await service.passUntil(
          'some more webhooks arrived',
          () => service.receiver.requests.length >= i * 12,
        );
      }
      await paidAndTold(ids);
      expectPaidWebhooks(ids);
    });
  });

/** Something due, at the clock's time, on every queue. */
async function prepareWorkForEveryQueue({ harness, shop }: Service): Promise<void> {
  const { ctx } = harness;
  const refunded = await shop.create();
  await shop.pay(refunded);
  await harness.work();
  await shop.mine(CONFIRMATIONS);
  await shop.refund(refunded);
  await shop.create();
  harness.advance(3_600);
  const settling = await shop.create();
  await shop.pay(settling);
  await syncNetwork(ctx, harness.adapters, 'ethereum');
  await shop.chain.mine('ethereum', CONFIRMATIONS, ctx.now());
  await syncNetwork(ctx, harness.adapters, 'ethereum');
  // Only the new payment's first event is fanned out: its delivery is due, the others' fan-outs are.
  const [event] = await shop.events(settling);
  await dispatchEvents(ctx, [event?.id ?? '']);
  await schedule(ctx.db, [
    { job: notifyDisabled, key: harness.merchant.id, runAt: ctx.now(), testClock: null },
  ]);
}

/** What a test makes fail on purpose need not be in its output. */
const QUIET = { log: winston.createLogger({ silent: true }) };

async function countDeliveries({ harness }: Service, status: string): Promise<number> {
  const [row] = await run(
    harness.ctx.db,
    sql<{ count: number }>('test_count_deliveries', 'SELECT count(*)::int FROM deliveries WHERE status = $1'),
    [status],
  );
  return row?.count ?? 0;
}

async function endConnections({ harness }: Service): Promise<void> {
  await harness.ctx.db
    .raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    .catch(() => undefined);
}
