import type { Queue } from 'bullmq';
import { expect } from 'chai';
import winston from 'winston';
import { countWaitingJobs } from '../../src/background/queue-status.ts';
import { openQueueEngine } from '../../src/background/queues.ts';
import { checkInvariants } from '../support/invariants.ts';
import type { Engine } from '../support/engines.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const EVENTS_OF_A_PAID_PAYMENT = 4;
/** What a test makes fail on purpose need not be in its output. */
const QUIET = { log: winston.createLogger({ silent: true }) };

describe('losing Redis', () => {
  let redis: RedisServer;
  let engine: Engine;
  let service: Service;
  before(async function () {
    // The test deletes data: it must not use the Redis of REDIS_URL.
    if (redisCommand === null) this.skip();
    redis = await startRedis();
    engine = {
      name: 'redis',
      env: () => Promise.resolve({ REDIS_URL: redis.url }),
      flush: () => flushAll(),
    };
  });
  after(() => redis?.stop());
  afterEach(async () => {
    try {
      await checkInvariants(service.harness.ctx.db);
    } finally {
      await service.close();
    }
    await flushAll();
  });

  const flushAll = async () => void (await redisCall(redis.url, 'FLUSHALL'));
  const create = (count: number) => Promise.all(Array.from({ length: count }, () => service.shop.create()));
  const isDone = async (ids: readonly string[]) => {
    const payments = await Promise.all(ids.map((id) => service.shop.payment(id)));
    const events = new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id']));
    return (
      payments.every(({ status }) => status === 'SETTLED') &&
      events.size === ids.length * EVENTS_OF_A_PAID_PAYMENT
    );
  };

  it('FLUSHALL with every run in a queue: the sweep enqueues them again, and all of it is done', async () => {
    service = await startService(engine);
    const { harness, receiver } = service;
    // A paused queue keeps the runs of deliveries in Redis, and none begins.
    const queues = openQueueEngine(harness.ctx.config, harness.ctx.log);
    const deliveries = queues.openQueue('webhook-delivery') as Queue;
    await deliveries.pause();
    const worker = await service.startWorker();
    const ids = await create(12);
    await until('runs of deliveries wait', async () => (await countWaitingJobs(deliveries)) > 0);
    expect(receiver.requests).to.have.length(0);
    // Also the pause.
    await flushAll();
    await receiver.waitFor(ids.length);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(ids.length);
    await worker.close();
    await deliveries.close();
    await queues.close();
  });

  it('FLUSHALL again and again while payments are under way: each is settled, and each event is delivered', async () => {
    service = await startService(engine);
    await Promise.all([service.startWorker(QUIET), service.startWorker(QUIET)]);
    const ids = await create(25);
    for (const id of ids) await service.shop.pay(id);
    for (let flushes = 1; flushes <= 6; flushes += 1) {
      await service.passUntil(
        'something more arrived',
        () => service.receiver.requests.length >= flushes * 10,
      );
      await flushAll();
    }
    await service.passUntil('all is done', () => isDone(ids));
  });

  it('Redis dies and comes back empty, twice, under running workers: every payment is settled, and every event is delivered', async () => {
    service = await startService(engine, { env: { LOG_LEVEL: 'error' } });
    await service.startWorker(QUIET);
    const ids = await create(10);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await redis.stop();
      // Creating and paying need no Redis.
      for (const id of ids.slice(restarts * 5, restarts * 5 + 5)) await service.shop.pay(id);
      expect(
        (await service.request('POST', '/v1/payment', { pay_amount: '1', order_id: 'o' })).status,
      ).to.equal(201);
      await redis.start();
    }
    await service.passUntil('all is done', async () => {
      const payments = await Promise.all(ids.map((id) => service.shop.payment(id)));
      const events = new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id']));
      return (
        payments.every(({ status }) => status === 'SETTLED') &&
        events.size === ids.length * EVENTS_OF_A_PAID_PAYMENT + 2
      );
    });
  });
});
