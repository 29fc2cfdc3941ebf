import { once } from 'node:events';
import { expect } from 'chai';
import { RedisCounts } from '../../../src/http/api/redis-counts.ts';
import { openRedis, type RedisConnection } from '../../../src/platform/redis/open.ts';
import { SILENT } from '../../../src/platform/log.ts';
import { redisCommand, startRedis, type RedisServer } from '../../support/redis.ts';

(redisCommand === null ? describe.skip : describe)('counts in Redis', () => {
  let server: RedisServer;
  let redis: RedisConnection;
  let counts: RedisCounts;
  beforeEach(async () => {
    server = await startRedis();
    redis = openRedis(server.url, 'limiter', SILENT);
    await once(redis, 'ready');
    counts = new RedisCounts(redis, 60_000);
  });
  afterEach(async () => {
    redis.disconnect();
    await server.stop();
  });

  const countAll = (keys: string) =>
    Promise.all([...keys].map(async (key) => `${key}${(await counts.count(`{t}:${key}`)).hits}`));
  /** How many scripts Redis has run. */
  const calls = async () => {
    const stats = String(await redis.call('INFO', 'commandstats'));
    return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  };

  it('share a call; several of one key have a place each', async () => {
    await countAll('a');
    const before = await calls();
    expect(await countAll('abacbaa')).to.deep.equal(['a2', 'b1', 'a3', 'c1', 'b2', 'a4', 'a5']);
    expect((await calls()) - before).to.equal(1);
    expect(await countAll('abc')).to.deep.equal(['a6', 'b3', 'c2']);
  });

  it('begin a window that ends 60 s after its first request, and begin again after it', async () => {
    const { leftMs } = await counts.count('{t}:a');
    expect(leftMs).to.equal(60_000);
    await redis.pexpire('{t}:a', 1_000);
    expect((await counts.count('{t}:a')).leftMs).to.be.within(1, 1_000);
    await redis.persist('{t}:a');
    expect(await counts.count('{t}:a')).to.deep.equal({ hits: 1, leftMs: 60_000 });
    expect(await redis.pttl('{t}:a')).to.be.within(1, 60_000);
  });

  it('fail with a call everything that waits for it, once, where Redis does not take it', async () => {
    await redis.set('{t}:a', 'no number', 'PX', 60_000);
    const before = await calls();
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((key) => counts.count(`{t}:${key}`)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect((await calls()) - before).to.be.at.most(2);
    expect((await counts.count('{t}:b')).hits).to.equal(1);
  });
});
