import { once } from 'node:events';
import { expect } from 'chai';
import type { TestMerchant, Harness } from '../../support/harness.ts';
import { createApp } from '../../../src/http/app.ts';
import { newApiKey } from '../../../src/platform/values/cells.ts';
import { openRedis, type RedisConnection } from '../../../src/platform/redis/open.ts';
import { CONTRACT_ENDPOINTS } from '../../support/documents.ts';
import {
  createPayment,
  expectError,
  expectLimitHeaders,
  listen,
  ORDER,
  send,
  type Answer,
  type Listening,
} from '../../support/http.ts';
import { redisCommand, startRedis, type RedisServer } from '../../support/redis.ts';
import { createHarness } from '../../support/harness.ts';

const MISSING = `pay_${'0'.repeat(26)}`;

/** What the specification names itself ("Limits"); the other limits are the contract's ("Endpoints"). */
const SPECIFIED: readonly (readonly [method: string, path: string, perMinute: number])[] = [
  ['POST', '/v1/payment', 60],
  ['GET', '/v1/payment/:id', 120],
  ['GET', '/v1/payments', 60],
];
const isSpecified = (endpoint: { method: string; path: string }) =>
  SPECIFIED.some(([method, path]) => method === endpoint.method && path === endpoint.path);

/** Requests a minute. */
const LIMITS: readonly (readonly [method: string, path: string, perMinute: number, source: string])[] = [
  ...SPECIFIED.map(
    ([method, path, perMinute]) =>
      [method, path.replace(':id', MISSING), perMinute, 'specification'] as const,
  ),
  ...CONTRACT_ENDPOINTS.filter((endpoint) => !isSpecified(endpoint)).map(
    ({ method, path, perMinute }) => [method, path.replace(':id', MISSING), perMinute, 'contract'] as const,
  ),
  ['DELETE', '/v1/payment', 60, 'contract: everything else'],
  ['GET', '/v1/nothing', 60, 'contract: everything else'],
];

describe('specification: Limits', () => {
  let harness: Harness;
  let server: Listening;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1' });
  });
  // Counts live in the app: each test begins with none.
  beforeEach(async () => {
    server = await listen(
      createApp(harness.ctx, {
        redis: null,
        admin: null,
        adapters: harness.adapters,
        sandbox: harness.sandbox,
        health: harness.health,
      }),
    );
    merchant = await harness.addMerchant();
  });
  afterEach(() => server.close());
  after(() => harness.close());

  const ask = (method: string, path: string, apiKey: string | null = merchant.apiKey) =>
    send(
      server,
      method,
      path,
      { 'Content-Type': 'application/json', ...(apiKey === null ? {} : { 'X-API-Key': apiKey }) },
      ['POST', 'PUT'].includes(method) ? '{}' : undefined,
    );
  const times = async (count: number, request: () => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let done = 0; done < count; done += 1) answers.push(await request());
    return answers;
  };
  const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];

  for (const [method, path, perMinute, source] of LIMITS)
    it(`${source}: ${method} ${path.replace(MISSING, ':id')} takes ${perMinute} requests a minute and merchant`, async () => {
      const answers = await times(perMinute, () => ask(method, path));
      expect(statusesOf(answers)).to.not.include(429);
      for (const [index, { headers }] of answers.entries()) {
        expect(headers['x-ratelimit-limit']).to.equal(String(perMinute));
        expect(headers['x-ratelimit-remaining']).to.equal(String(perMinute - index - 1));
      }
      const refused = await ask(method, path);
      expectError(harness, refused, 429);
      expect(refused.headers['x-ratelimit-remaining']).to.equal('0');
      const other = await harness.addMerchant();
      expect((await ask(method, path, other.apiKey)).headers['x-ratelimit-remaining']).to.equal(
        String(perMinute - 1),
      );
    });

  it('X-RateLimit-Reset is the Unix time at which the window ends; 429 adds Retry-After', async () => {
    const answers = await times(61, () => ask('GET', '/v1/payments'));
    const now = Date.now() / 1000;
    const resets = new Set(answers.map(({ headers }) => Number(headers['x-ratelimit-reset'])));
    expect(resets).to.have.property('size', 1);
    for (const reset of resets) expect(reset).to.be.within(now + 1, now + 61);
    expect(Number(answers.at(-1)?.headers['retry-after'])).to.be.within(1, 60);
    expect(answers[0]?.headers).to.not.have.property('retry-after');
  });

  it('each endpoint has a limit of its own', async () => {
    await times(61, () => ask('GET', '/v1/payments'));
    expect((await ask('GET', '/v1/payments')).status).to.equal(429);
    expect((await ask('POST', '/v1/payment')).status).to.equal(400);
    expect((await ask('GET', '/v1/webhooks/config')).status).to.equal(200);
  });

  it('all payments, and all ways to write a path, share one limit', async () => {
    const paths = ['pay_1', MISSING, '%ff', 'x'].map((id) => `/v1/payment/${id}`);
    paths.push('/V1/PAYMENT/x', '/v1/payment/x/', '/v1/payment/x?a=1');
    const remaining: number[] = [];
    for (const path of paths)
      remaining.push(Number((await ask('GET', path)).headers['x-ratelimit-remaining']));
    expect(remaining).to.deep.equal([119, 118, 117, 116, 115, 114, 113]);
  });

  it('what is refused for any other reason counts as well', async () => {
    const reader = await harness.addMerchant({ permissions: [] });
    await times(60, () => ask('POST', '/v1/payment', reader.apiKey));
    expect((await ask('POST', '/v1/payment', reader.apiKey)).status).to.equal(429);
  });

  it('nothing is done beyond the limit', async () => {
    await times(60, () => ask('POST', '/v1/payment'));
    const headers = { 'X-API-Key': merchant.apiKey, 'Content-Type': 'application/json' };
    expectError(harness, await send(server, 'POST', '/v1/payment', headers, JSON.stringify(ORDER)), 429);
    const { body } = await harness.api('get', '/v1/payments', merchant.apiKey).expect(200);
    expect(body.data).to.deep.equal([]);
  });

  it('GET /v1/status without a key counts by address; with one, by merchant', async () => {
    await times(60, () => ask('GET', '/v1/status', null));
    await times(60, () => ask('GET', '/v1/status', newApiKey('test')));
    expectError(harness, await ask('GET', '/v1/status', null), 429);
    expectError(harness, await ask('GET', '/v1/status', newApiKey('test')), 429);
    expect((await ask('GET', '/v1/status')).headers['x-ratelimit-remaining']).to.equal('119');
  });

  it('401s count by address, over all endpoints: at most 60 a minute, then 429; valid keys go on', async () => {
    const unknown = () => ask('GET', '/v1/payments', newApiKey('test'));
    const none = () => ask('POST', '/v1/payment', null);
    const answers = [...(await times(30, unknown)), ...(await times(30, none))];
    expect(statusesOf(answers)).to.deep.equal([401]);
    expect(answers.at(-1)?.headers['x-ratelimit-remaining']).to.equal('0');
    for (const request of [unknown, none, () => ask('GET', `/v1/payment/${MISSING}`, 'x')]) {
      const refused = await request();
      expectError(harness, refused, 429);
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    }
    expect((await ask('GET', '/v1/payments')).status).to.equal(200);
    expect((await ask('GET', '/v1/status', null)).status).to.equal(200);
  });

  describe('the three headers are on every response', () => {
    const RESPONSES: readonly [status: number, ask: () => Promise<Answer>][] = [
      [200, () => ask('GET', '/v1/payments')],
      [
        201,
        () =>
          send(
            server,
            'POST',
            '/v1/payment',
            { 'X-API-Key': merchant.apiKey, 'Content-Type': 'application/json' },
            JSON.stringify(ORDER),
          ),
      ],
      [400, () => ask('POST', '/v1/payment')],
      [401, () => ask('GET', '/v1/payments', null)],
      [403, async () => ask('GET', '/v1/payments', (await harness.addMerchant({ permissions: [] })).apiKey)],
      [404, () => ask('GET', `/v1/payment/${MISSING}`)],
      [404, () => ask('GET', '/v1/nothing')],
      [404, () => ask('GET', '/v1/payment/%ff')],
      [404, () => ask('GET', '/v1/nothing', null)],
      [405, () => ask('DELETE', '/v1/payments')],
      [405, () => ask('OPTIONS', '/v1/payments', null)],
      [
        413,
        () => {
          const headers = { 'X-API-Key': merchant.apiKey, 'Content-Type': 'application/json' };
          return send(server, 'POST', '/v1/payment', headers, 'x'.repeat(200_000));
        },
      ],
      [415, () => send(server, 'POST', '/v1/payment', { 'X-API-Key': merchant.apiKey }, 'x')],
      [429, async () => (await times(61, () => ask('GET', '/v1/payments'))).at(-1) ?? expect.fail()],
    ];
    for (const [status, request] of RESPONSES)
      it(String(status), async () => {
        const answer = await request();
        expect(answer.status).to.equal(status);
        expectLimitHeaders(answer);
      });
    // 409: errors.test.ts. 500: errors.test.ts. 503: unavailable.test.ts.
  });

  it('RATE_LIMIT_SCALE multiplies every limit', async () => {
    const wide = await createHarness({ RATE_LIMIT_SCALE: '2.5' });
    const { headers } = await wide.api('get', '/v1/payments').expect(200);
    expect(headers['x-ratelimit-limit']).to.equal('150');
    await wide.close();
  });

  (redisCommand === null ? describe.skip : describe)('with Redis', () => {
    let redisServer: RedisServer;
    before(async () => {
      redisServer = await startRedis();
    });
    after(() => redisServer.stop());

    it('requests of one moment have a place each, also after Redis lost its scripts', async () => {
      const redis = openRedis(redisServer.url, 'limiter', harness.ctx.log);
      await once(redis, 'ready');
      const own = await harness.addMerchant();
      const served = await listen(
        createApp(harness.ctx, {
          redis,
          admin: null,
          adapters: harness.adapters,
          sandbox: harness.sandbox,
          health: harness.health,
        }),
      );
      const counted = async (path: string) => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => send(served, 'GET', path, { 'X-API-Key': own.apiKey })),
        );
        for (const answer of answers) expectLimitHeaders(answer);
        return answers
          .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
          .toSorted((a, b) => b - a);
      };
      const downFrom = (first: number) => Array.from({ length: 20 }, (_, n) => first - n);
      expect(await counted('/v1/payments')).to.deep.equal(downFrom(59));
      await redis.call('SCRIPT', 'FLUSH');
      expect(await counted('/v1/payments')).to.deep.equal(downFrom(39));
      expect(await counted('/v1/status')).to.deep.equal(downFrom(119));
      const keys = await redis.keys(`*${own.id}`);
      expect(keys.toSorted()).to.deep.equal([
        `{limit}:getStatus:${own.id}`,
        `{limit}:listPayments:${own.id}`,
      ]);
      for (const key of keys) expect(await redis.pttl(key)).to.be.within(1, 60_000);
      redis.disconnect();
      await served.close();
    });

    it('all web processes count together, and each goes on alone once Redis is gone', async () => {
      const connections = [1, 2].map(() => openRedis(redisServer.url, 'limiter', harness.ctx.log));
      await Promise.all(connections.map((connection) => once(connection, 'ready')));
      const servers = await Promise.all(
        connections.map((redis) =>
          listen(
            createApp(harness.ctx, {
              redis,
              admin: null,
              adapters: harness.adapters,
              sandbox: harness.sandbox,
              health: harness.health,
            }),
          ),
        ),
      );
      const headers = { 'X-API-Key': merchant.apiKey };
      const answers: Answer[] = [];
      for (let turn = 0; turn < 62; turn += 1)
        answers.push(await send(servers[turn % 2] ?? server, 'GET', '/v1/payments', headers));
      expect(answers.map(({ status }) => status)).to.deep.equal([...Array<number>(60).fill(200), 429, 429]);
      for (const answer of answers) expectLimitHeaders(answer);
      expect(Number(answers.at(-1)?.headers['retry-after'])).to.be.within(1, 60);
      const gone = connections.map((connection) => once(connection, 'close'));
      await redisServer.stop();
      await Promise.all(gone);
      for (const process of servers) {
        expect((await send(process, 'GET', '/v1/payments', headers)).status).to.equal(429);
        const { headers: left } = await send(process, 'GET', '/v1/status', headers);
        expect(left['x-ratelimit-remaining']).to.equal('119');
      }
      for (const connection of connections) connection.disconnect();
      await Promise.all(servers.map((process) => process.close()));
    });
  });

  describe('while Redis is away', () => {
    let redis: RedisConnection;
    beforeEach(async () => {
      await server.close();
      // Port 1 is never open.
      redis = openRedis('redis://127.0.0.1:1', 'limiter', harness.ctx.log);
      server = await listen(
        createApp(harness.ctx, {
          redis,
          admin: null,
          adapters: harness.adapters,
          sandbox: harness.sandbox,
          health: harness.health,
        }),
      );
    });
    afterEach(() => redis.disconnect());

    it('each process counts by itself, headers included', async () => {
      const answers = await times(60, () => ask('GET', '/v1/payments'));
      expect(statusesOf(answers)).to.deep.equal([200]);
      for (const answer of answers) expectLimitHeaders(answer);
      expectError(harness, await ask('GET', '/v1/payments'), 429);
      await createPayment(harness);
    });
  });
});
