import { expect } from 'chai';
import { captureLog, type CapturedLog } from '../support/logs.ts';
import { redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { startService, type Service } from '../support/service.ts';
import { settlePayments } from '../support/settled.ts';
import { until } from '../support/until.ts';

describe('a worker that is closed while Redis is away', () => {
  let redis: RedisServer;
  let service: Service;
  let captured: CapturedLog;
  let answer: () => void;
  let isHeld: boolean;
  beforeEach(async function () {
    if (redisCommand === null) this.skip();
    redis = await startRedis();
    captured = captureLog();
    isHeld = false;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    service = await startService(
      { name: 'redis', env: () => Promise.resolve({ REDIS_URL: redis.url }), flush: () => Promise.resolve() },
      {
        receiver: {
          answer: async () => {
            if (isHeld) await held;
            return {};
          },
        },
      },
    );
  });
  afterEach(async () => {
    answer();
    await service.close();
    await redis.stop();
  });

  const startWorker = () => service.startWorker({ log: captured.log });
  const isDown = (queue: string) =>
    captured.lines().some((line) => line.queue === queue && line.level === 'warn');
  const untilDown = () =>
    until('its queues are down', () => isDown('settlement') && isDown('webhook-delivery'));
  const errors = () => captured.lines().filter(({ level }) => level === 'error');

  it('ends when it has never connected', async () => {
    await redis.stop();
    const worker = await startWorker();
    await untilDown();
    await worker.close();
    expect(errors()).to.deep.equal([]);
  });

  it('ends when it is idle', async () => {
    const worker = await startWorker();
    await settlePayments(service, 1);
    await redis.stop();
    await untilDown();
    await worker.close();
    expect(errors()).to.deep.equal([]);
  });

  it('ends with jobs to enqueue', async () => {
    const worker = await startWorker();
    await settlePayments(service, 1);
    await redis.stop();
    for (let count = 0; count < 5; count += 1) await service.shop.pay(await service.shop.create());
    await untilDown();
    await worker.close();
    expect(errors()).to.deep.equal([]);
  });

  it('ends when the job under way has ended, and its result is kept', async () => {
    const worker = await startWorker();
    await settlePayments(service, 1);
    const before = service.receiver.requests.length;
    isHeld = true;
    await service.shop.create();
    await service.receiver.waitFor(before + 1);
    await redis.stop();
    await untilDown();
    const closed = worker.close();
    answer();
    await closed;
    expect(captured.lines('webhook delivered')).to.have.length(before + 1);
    expect(errors()).to.deep.equal([]);
  });
});
