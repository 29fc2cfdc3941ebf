import { expect } from 'chai';
import winston from 'winston';
import { assertRedis } from '../../src/platform/redis/check.ts';
import { captureLog } from '../support/logs.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { startSentinel, type Sentinel } from '../support/sentinel.ts';
import { startService } from '../support/service.ts';
import { settlePayments, untilSettled } from '../support/settled.ts';
import { until } from '../support/until.ts';

const QUIET = { log: winston.createLogger({ silent: true }) };

describe('Redis behind sentinels', () => {
  let master: RedisServer;
  let replica: RedisServer;
  let sentinel: Sentinel;
  before(async () => {
    expect(redisCommand).to.not.equal(null);
    // By default Redis waits 5 s for more replicas before it sends the first one its data.
    master = await startRedis(['--repl-diskless-sync-delay', '0']);
    replica = await startRedis(['--replicaof', '127.0.0.1', new URL(master.url).port]);
    // What was never in step has nothing to be promoted with.
    await until('the replica is in step', async () => {
      const [, , , link] = (await redisCall(replica.url, 'ROLE')) as string[];
      return link === 'connected';
    });
    sentinel = await startSentinel('checkout', master);
  });
  after(async () => {
    await sentinel?.stop();
    await replica?.stop();
    await master?.stop();
  });

  const sentinelUrl = () => `redis://127.0.0.1:${sentinel.port}`;

  it('refuses what REDIS_URL does not name rightly, and says what to write', async () => {
    const refusal = async (url: string) =>
      assertRedis(url).then(
        () => null,
        (error: Error) => error.message,
      );
    const host = `127.0.0.1:${sentinel.port}`;
    expect(await refusal(`redis://${host}`)).to.match(
      /is a sentinel, not a server: write redis-sentinel:\/\/.*\/checkout$/,
    );
    expect(await refusal(`redis-sentinel://${host}/shop`)).to.match(
      /watches checkout, and no master .* shop$/,
    );
    expect(await refusal(`${master.url},${replica.url}`)).to.match(/is a server of its own and no node/);
    expect(await refusal(`redis-sentinel://${new URL(master.url).host}/checkout`)).to.match(/is no sentinel/);
    const node = await startRedis(['--cluster-enabled', 'yes']);
    expect(await refusal(node.url)).to.match(/is one node of a Redis Cluster: write the URLs of several/);
    expect(await refusal(`${node.url},${node.url}`)).to.equal(null);
    await node.stop();
    expect(await refusal(node.url), 'one that is away').to.equal(null);
    expect(await refusal(master.url)).to.equal(null);
    expect(await refusal(`redis-sentinel://${host}/checkout`)).to.equal(null);
  });

  it('payments are settled before and after a failover, without a restart', async () => {
    const REDIS_URL = `redis-sentinel://127.0.0.1:${sentinel.port}/checkout`;
    const engine = {
      name: 'redis',
      env: () => Promise.resolve({ REDIS_URL }),
      flush: () => Promise.resolve(),
    } as const;
    const service = await startService(engine, { env: { LOG_LEVEL: 'error' } });
    try {
      await service.startWorker(QUIET);
      await settlePayments(service, 5);
      const ids = await Promise.all(Array.from({ length: 5 }, () => service.shop.create()));
      await master.stop();
      for (const id of ids) await service.shop.pay(id);
      // The sentinel is asked: a promotion closes the connections to the replica itself.
      await until('the replica is promoted', async () => {
        const address = await redisCall(sentinelUrl(), 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'checkout');
        return (address as string[]).join(':') === new URL(replica.url).host;
      });
      await untilSettled(service, ids);
    } finally {
      await service.close();
    }
  });

  it('a worker ends when it is closed while there is no master', async () => {
    await master.stop();
    await replica.stop();
    const env = () => Promise.resolve({ REDIS_URL: `redis-sentinel://127.0.0.1:${sentinel.port}/checkout` });
    const service = await startService({ name: 'redis', env, flush: () => Promise.resolve() });
    try {
      const { log, lines } = captureLog();
      const worker = await service.startWorker({ log });
      await until('its queues are down', () => lines().some(({ queue }) => queue === 'settlement'));
      await worker.close();
    } finally {
      await service.close();
    }
  });
});
