import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { limitFallbacksTotal } from '../../../src/platform/metrics/measures.ts';
import { openRedis, type RedisConnection } from '../../../src/platform/redis/open.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { expectLimitHeaders, listen, send, type Answer, type Listening } from '../../support/http.ts';
import { captureLog, type CapturedLog } from '../../support/logs.ts';
import { redisCommand, startRedis, type RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

const HERE = "rate limits are counted in this process's memory";
const AGAIN = 'rate limits are counted in Redis again';

/** How many of a merchant's 60 requests a minute are left after each, in order. */
const downFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => Math.max(0, first - n));

(redisCommand === null ? describe.skip : describe)('rate limits on a Redis that fails', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  let server: RedisServer;
  let redis: RedisConnection;
  let served: Listening;
  let captured: CapturedLog;
  before(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1' });
  });
  beforeEach(async () => {
    merchant = await harness.addMerchant();
    server = await startRedis();
    await connect();
    await isConnected();
  });
  afterEach(async () => {
    await served.close();
    redis.disconnect();
    await server.stop();
  });
  after(() => harness.close());

  const connect = async () => {
    captured = captureLog();
    redis = openRedis(server.url, 'limiter', captured.log);
    const { adapters, sandbox, health } = harness;
    const ctx = { ...harness.ctx, log: captured.log };
    served = await listen(createApp(ctx, { redis, admin: null, adapters, sandbox, health }));
  };
  /** It may have connected while something else was waited for. */
  const isConnected = () => until('Redis is connected', () => redis.status === 'ready');
  const ask = (path = '/v1/payments') => send(served, 'GET', path, { 'X-API-Key': merchant.apiKey });
  /** Sends at once; what is left after each, the most first. */
  const askTogether = async (count: number) =>
    leftOf(await Promise.all(Array.from({ length: count }, () => ask())));
  const leftOf = (answers: readonly Answer[]) => {
    for (const answer of answers) expectLimitHeaders(answer);
    const refused = answers.filter(({ status }) => status === 429);
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(refused).to.have.lengthOf(Math.max(0, left.filter((n) => n === 0).length - 1));
    return left.toSorted((a, b) => b - a);
  };
  const key = () => `{limit}:listPayments:${merchant.id}`;
  const fallbacks = async () => (await limitFallbacksTotal.get()).values[0]?.value ?? 0;

  for (const [what, fail] of [
    ['hangs', () => Promise.resolve()],
    ['dies', () => server.stop()],
  ] as const)
    it(`of 100 in flight when Redis ${what}, 60 are served: each has a place of its own`, async () => {
      server.freeze();
      const answers = askTogether(100);
      await fail();
      expect(await answers).to.deep.equal(downFrom(59, 100));
    });

  it('one call that Redis refuses is counted in memory, and no other', async () => {
    await redis.set(key(), 'no number', 'PX', 60_000);
    const [list, status] = await Promise.all([
      askTogether(3),
      Promise.all(Array.from({ length: 3 }, () => ask('/v1/status'))),
    ]);
    expect(list).to.deep.equal([59, 58, 57]);
    expect(leftOf(status)).to.deep.equal([119, 118, 117]);
    expect(await redis.get(`{limit}:getStatus:${merchant.id}`)).to.equal('3');
  });

  it('requests whose reply is late go on from the last count, and Redis from theirs', async () => {
    expect(await askTogether(20)).to.deep.equal(downFrom(59, 20));
    server.freeze();
    expect(await askTogether(30)).to.deep.equal(downFrom(39, 30));
    server.thaw();
    await until('Redis has counted the late ones', async () => (await redis.get(key())) === '50');
    expect(await askTogether(12)).to.deep.equal(downFrom(9, 12));
    expect(await redis.get(key())).to.equal('62');
  });

  it('a Redis that was away at the start, or has lost its scripts, counts as soon as it is there', async () => {
    await served.close();
    redis.disconnect();
    await server.stop();
    await connect();
    expect(await askTogether(5)).to.deep.equal(downFrom(59, 5));
    await server.start();
    await isConnected();
    await ask();
    expect(await redis.get(key())).to.equal('1');
    await redis.call('SCRIPT', 'FLUSH');
    await askTogether(10);
    expect(await redis.get(key())).to.equal('11');
    expect(await redis.pttl(key())).to.be.within(1, 60_000);
  });

  it('the log says once where limits are counted, and the metric for how many requests', async () => {
    const before = await fallbacks();
    await redis.set(key(), 'no number', 'PX', 60_000);
    await askTogether(7);
    await ask('/v1/status');
    await askTogether(2);
    expect(await fallbacks()).to.equal(before + 9);
    const [line, ...more] = captured.lines(HERE);
    expect(more).to.deep.equal([]);
    expect(line).to.include({ level: 'warn' }).and.to.have.property('error');
    await redis.del(key());
    harness.advance(9);
    await ask();
    expect(captured.lines(AGAIN)).to.deep.equal([]);
    harness.advance(1);
    await ask();
    await ask();
    expect(captured.lines(AGAIN)).to.have.lengthOf(1);
  });
});
