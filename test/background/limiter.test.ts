import { expect } from 'chai';
import winston from 'winston';
import { startWeb, type Web } from '../../src/http/start.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createHarness, type Harness } from '../support/harness.ts';

interface Answer {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

describe('the rate limiter, with Redis', () => {
  let redis: RedisServer;
  let harness: Harness;
  const webs: Web[] = [];
  before(async function () {
    if (redisCommand === null) this.skip();
    redis = await startRedis();
  });
  after(() => redis?.stop());
  beforeEach(async () => {
    harness = await createHarness({
      REDIS_URL: redis.url,
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_SCALE: '1',
    });
  });
  afterEach(async () => {
    for (const web of webs.splice(0)) await web.close();
    await harness.close();
    await redisCall(redis.url, 'FLUSHALL').catch(() => undefined);
  });

  const startOne = async () => {
    const web = await startWeb(
      { ...harness.ctx, log: winston.createLogger({ silent: true }) },
      { admin: null, adapters: harness.adapters, sandbox: null, health: harness.health },
    );
    webs.push(web);
    return web;
  };
  const status = async (web: Web): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${web.port}/v1/status`, {
      headers: { 'X-API-Key': harness.merchant.apiKey, Connection: 'close' },
    });
    await response.arrayBuffer();
    const header = (name: string) => Number(response.headers.get(name));
    return {
      status: response.status,
      limit: header('x-ratelimit-limit'),
      remaining: header('x-ratelimit-remaining'),
      reset: header('x-ratelimit-reset'),
    };
  };
  const isCountedInRedis = async () => Number(await redisCall(redis.url, 'DBSIZE')) > 0;

  it('counts the requests of all web processes together', async () => {
    const [first, second] = [await startOne(), await startOne()];
    await until('both count in Redis', async () => {
      await redisCall(redis.url, 'FLUSHALL');
      return (await status(first)).remaining === 119 && (await status(second)).remaining === 118;
    });
    expect((await status(first)).remaining).to.equal(117);
    expect((await status(second)).remaining).to.equal(116);
  });

  it('while Redis is away counts in memory, headers and refusals included, and in Redis again when it is back', async () => {
    const web = await startOne();
    await until('it counts in Redis', async () => {
      await status(web);
      return isCountedInRedis();
    });
    await redis.stop();
    const answers: Answer[] = [];
    for (let i = 0; i < 125; i += 1) answers.push(await status(web));
    expect(answers.map(({ limit }) => limit)).to.deep.equal(Array.from({ length: 125 }, () => 120));
    // What was counted before Redis was first there counts as well.
    const allowed = (answers[0]?.remaining ?? 0) + 1;
    expect(allowed).to.be.within(110, 120);
    expect(answers.map(({ status }) => status)).to.deep.equal(
      Array.from({ length: 125 }, (_, i) => (i < allowed ? 200 : 429)),
    );
    expect(answers.map(({ remaining }) => remaining)).to.deep.equal(
      Array.from({ length: 125 }, (_, i) => Math.max(0, allowed - 1 - i)),
    );
    const now = Date.now() / 1000;
    for (const { reset } of answers) expect(reset).to.be.within(now - 60, now + 61);
    await redis.start();
    await until('it counts in Redis again', async () => {
      await status(web);
      return isCountedInRedis();
    });
    expect((await status(web)).status).to.equal(200);
  });

  it('that begins while Redis is away goes to Redis once it is there', async () => {
    await redis.stop();
    const web = await startOne();
    expect(await status(web)).to.deep.include({ status: 200, limit: 120, remaining: 119 });
    await redis.start();
    await until('it counts in Redis', async () => {
      await status(web);
      return isCountedInRedis();
    });
  });

  it('loads its script again when Redis has lost it, and counts every request', async () => {
    const web = await startOne();
    await until('it counts in Redis', async () => {
      await redisCall(redis.url, 'FLUSHALL');
      return (await status(web)).remaining === 119 && (await isCountedInRedis());
    });
    await redisCall(redis.url, 'SCRIPT', 'FLUSH');
    expect((await status(web)).remaining).to.equal(118);
    expect((await status(web)).remaining).to.equal(117);
    const keys = (await redisCall(redis.url, 'KEYS', '*')) as string[];
    expect(keys).to.have.length(1);
    expect(await redisCall(redis.url, 'GET', keys[0] ?? '')).to.equal('3');
  });

  it('that hangs instead of refusing costs a request a moment, not the answer', async () => {
    const web = await startOne();
    await until('it counts in Redis', async () => {
      await status(web);
      return isCountedInRedis();
    });
    redis.freeze();
    try {
      expect(await status(web)).to.include({ status: 200, limit: 120 });
    } finally {
      redis.thaw();
    }
  });
});
