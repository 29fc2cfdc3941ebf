import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { openRedis, type RedisConnection, type RedisUse } from '../../src/platform/redis/open.ts';
import { captureLog, type CapturedLog } from '../support/logs.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { timed } from '../support/loop-clock.ts';

/** Within which a process must say that Redis hangs. */
const NOTICED_MS = 5_000;

describe('a Redis that does not serve', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  let captured: CapturedLog;
  before(async function () {
    if (redisCommand === null) this.skip();
    redis = await startRedis();
  });
  after(() => redis?.stop());
  afterEach(() => {
    redis.thaw();
    connection.disconnect();
  });

  const open = async (use: RedisUse) => {
    captured = captureLog();
    connection = openRedis(redis.url, use, captured.log);
    await until('it is connected', () => connection.status === 'ready');
  };
  const changes = () => captured.lines().map(({ level, message, reason }) => ({ level, message, reason }));

  for (const use of ['queue', 'limiter'] as const)
    it(`hangs: the connection of the ${use} says so within 5 s, once, and when it is back`, async function () {
      this.timeout(30_000);
      await open(use);
      redis.freeze();
      const { ms } = await timed(() => until('it is noticed', () => captured.lines().length > 0));
      expect(ms).to.be.below(NOTICED_MS);
      const [line] = captured.lines();
      expect(line).to.include({ level: 'warn', use });
      expect(line?.reason).to.match(/^Redis: no reply/);
      await sleep(NOTICED_MS);
      expect(captured.lines()).to.have.length(1);
      redis.thaw();
      await until('it is back', () => captured.lines().length > 1);
      expect(changes().at(-1)).to.include({ level: 'info', message: 'Redis available again' });
    });

  it('that refuses the password is named as that, not as away', async () => {
    captured = captureLog();
    await redisCall(redis.url, 'CONFIG', 'SET', 'requirepass', 'a-password');
    try {
      connection = openRedis(redis.url, 'queue', captured.log);
      await until('it is noticed', () => captured.lines().length > 0);
      expect(changes()[0]?.reason).to.equal('Redis: wrong or missing password');
    } finally {
      await redisCall(redis.url.replace('//', '//:a-password@'), 'CONFIG', 'SET', 'requirepass', '');
    }
  });

  it('that is gone is named, with the refused connection', async () => {
    await open('queue');
    await redis.stop();
    await until('it is noticed', () => captured.lines().length > 0);
    expect(changes()[0]?.reason).to.match(/^connection re(fused|set)$/);
    await redis.start();
    await until('it is back', () => captured.lines().length > 1);
  });

  it('that was demoted is left once, however many commands it refuses, and they are repeated', async () => {
    await open('queue');
    const { stream } = connection as Redis;
    let ends = 0;
    const end = Reflect.get(stream, 'end') as (...args: unknown[]) => unknown;
    Reflect.set(stream, 'end', (...args: unknown[]) => {
      ends += 1;
      return end.apply(stream, args);
    });
    await redisCall(redis.url, 'REPLICAOF', '127.0.0.1', '1');
    const writes = Promise.all(Array.from({ length: 30 }, (_, n) => connection.set(`key-${n}`, n)));
    await until('it connects again', () => (connection as Redis).stream !== stream);
    await redisCall(redis.url, 'REPLICAOF', 'NO', 'ONE');
    expect(new Set(await writes)).to.deep.equal(new Set(['OK']));
    expect(ends).to.equal(1);
  });
});
