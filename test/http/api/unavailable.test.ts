import { expect } from 'chai';
import { lockPayments } from '../../../src/domain/payments/lifecycle/store.ts';
import { createApp } from '../../../src/http/app.ts';
import { createEndpoints } from '../../../src/http/routes.ts';
import type { Endpoint } from '../../../src/domain/api/endpoint.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { newApiKey } from '../../../src/platform/values/cells.ts';
import { WEB_DB } from '../../../src/processes/setup/context.ts';
import {
  countRows,
  createPayment,
  expectError,
  listen,
  ORDER,
  pay,
  send,
  type Answer,
  type Listening,
  type Payment,
} from '../../support/http.ts';
import { startPostgresProxy, type PostgresProxy } from '../../support/postgres-proxy.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import { statementsOf } from '../../support/statements.ts';
import { lookingHealth } from '../../support/health.ts';
import { logo } from '../../support/images.ts';
import { timed } from '../../support/loop-clock.ts';
import { until } from '../../support/until.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

/** Contract, "Errors": Postgres away is answered within 2 s. */
const ANSWERED_WITHIN_MS = 2_000;

const BODIES: Readonly<Record<string, object>> = {
  '/v1/sandbox/scenarios': { story: 'paid' },
  '/v1/sandbox/rates': { rates: {} },
  '/v1/sandbox/payments/:id/advance': { by: '1m' },
  '/v1/payment': ORDER,
  '/v1/links': { title: 'Tea', prices: [{ amount: '1' }] },
  '/v1/links/:id': { title: 'Tea' },
  '/v1/payment/:id/refunds/:refund_id/announce': { tx_hash: `0x${'ab'.repeat(32)}` },
  '/v1/webhooks/endpoints': { url: 'https://shop.example/' },
  '/v1/webhooks/endpoints/:id': { url: 'https://shop.example/' },
  '/v1/webhooks/config': { webhookUrl: 'https://shop.example/', enabled: true },
  '/v1/webhooks/redeliver': { from_date: '2026-01-01' },
};

/** Of what the path names by its id. */
function kindOf(path: string): string {
  if (path.startsWith('/v1/webhooks/deliveries/')) return 'dlv';
  if (path.startsWith('/v1/webhooks/endpoints/')) return 'whe';
  if (path.startsWith('/v1/links/')) return 'lnk';
  return path.startsWith('/v1/events/') ? 'evt' : 'pay';
}

describe('specification: 503, the API is temporarily unavailable', () => {
  let harness: Harness;
  let payment: Payment;
  let image: Buffer;
  let server: Listening;
  let proxy: PostgresProxy;
  let db: Db;

  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    payment = await createPayment(harness);
    await pay(harness, payment.id);
    image = await logo();
    proxy = await startPostgresProxy(harness.ctx.config.databaseUrl);
  });
  after(async () => {
    await proxy.close();
    await harness.close();
  });
  afterEach(async () => {
    proxy.thaw();
    await server.close();
    await db.destroy();
  });

  /** The app as a web process runs it, with Postgres at `url`. */
  const serve = async (url: string) => {
    db = openDb({ url, name: 'test', ...WEB_DB });
    const { adapters, sandbox } = harness;
    const ctx = { ...harness.ctx, db };
    const health = lookingHealth(ctx, adapters);
    server = await listen(createApp(ctx, { redis: null, admin: null, adapters, sandbox, health }));
  };
  const ask = (method: string, path: string, apiKey: string | null = harness.merchant.apiKey) => {
    const isLogo = path === '/v1/checkout/logo';
    const headers = {
      'Content-Type': isLogo ? 'image/png' : 'application/json',
      'Idempotency-Key': 'away',
      ...(apiKey === null ? {} : { 'X-API-Key': apiKey }),
    };
    if (method === 'GET' || method === 'DELETE') return send(server, method, path, headers);
    const body = JSON.stringify(BODIES[path.replace(/\b(pay|whe|lnk)_\w{26}/, ':id')] ?? {});
    return send(server, method, path, headers, isLogo ? image : body);
  };
  const served = () => createEndpoints(harness);
  const askEndpoint = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) =>
    // What is no delivery's id is answered without Postgres, nor is that of another kind.
    ask(
      method.toUpperCase(),
      path
        .replace(':merchant_id', harness.merchant.id)
        .replace(':id', payment.id.replace('pay', kindOf(path))),
    );
  const expectUnavailable = async (request: () => Promise<Answer>) => {
    const { result: answer, ms } = await timed(request);
    expect(ms).to.be.lessThan(ANSWERED_WITHIN_MS);
    expectError(harness, answer, 503);
    expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/);
  };
  const everyEndpointIsUnavailable = () =>
    Promise.all(served().map((endpoint) => expectUnavailable(() => askEndpoint(endpoint))));
  /** Opens connections and lets the process remember the key, when a busy machine is fast enough. */
  const warmUp = () =>
    until('every endpoint that reads answers', async () => {
      // There are no such deliveries, events and endpoints.
      const reading = served().filter(({ method, path }) => method === 'get' && kindOf(path) === 'pay');
      const statuses = new Set((await Promise.all(reading.map(askEndpoint))).map(({ status }) => status));
      expect([...statuses].every((status) => status === 200 || status === 503)).to.equal(true);
      return !statuses.has(503);
    });

  describe('Postgres at a closed port', () => {
    beforeEach(() => serve('postgres://nobody@127.0.0.1:1/nothing'));

    it('every endpoint answers', async () => {
      await everyEndpointIsUnavailable();
      await expectUnavailable(() => ask('GET', '/v1/status', null));
      await expectUnavailable(() => ask('GET', '/v1/nothing'));
      await expectUnavailable(() => ask('PATCH', '/v1/payment'));
    });
    it('what needs no Postgres is answered as ever', async () => {
      expectError(harness, await ask('GET', '/v1/payments', null), 401);
      expectError(harness, await ask('GET', '/v1/nothing', null), 404);
      expectError(harness, await ask('PATCH', '/v1/payment', null), 405);
    });
    it('the checkout page says so, and tries again by itself', async () => {
      const { status, headers, text } = await send(server, 'GET', `/checkout/${payment.token_id}`);
      expect(status).to.equal(503);
      expect(headers).to.include({ 'content-type': 'text/html; charset=utf-8' });
      expect(headers['retry-after']).to.match(/^\d+$/);
      expect(text).to.include('http-equiv="refresh"').and.not.include('ECONNREFUSED');
    });
  });

  describe('Postgres takes connections and says nothing', () => {
    it('from the beginning: every endpoint answers', async () => {
      await serve(proxy.url);
      proxy.freeze();
      await everyEndpointIsUnavailable();
    });
    it('under open connections: every endpoint answers, and recovers', async () => {
      await serve(proxy.url);
      await warmUp();
      proxy.freeze();
      await everyEndpointIsUnavailable();
      proxy.thaw();
      await warmUp();
    });
    for (const [what, statement, path] of [
      ['a refund', 'lock_payments', '/v1/payment/:id/refund'],
      ['a refund', 'COMMIT', '/v1/payment/:id/refund'],
      ['a sandbox transfer', 'quote_of_payment', '/v1/sandbox/payments/:id/transfers'],
    ] as const)
      it(`in the middle of ${what}, at ${statement}: it answers, and nothing is stored`, async () => {
        await serve(proxy.url);
        await warmUp();
        const before_ = await countRows(harness);
        proxy.freezeAt(statement);
        await expectUnavailable(() => askEndpoint({ method: 'post', path }));
        expect(await countRows(harness)).to.deep.equal(before_);
      });
  });

  it('a payment that another transaction has locked: its refund gets a response, and nothing is stored', async () => {
    await serve(harness.ctx.config.databaseUrl);
    await warmUp();
    const before_ = await countRows(harness);
    await harness.ctx.db.transaction(async (tx) => {
      await lockPayments(tx, [payment.id]);
      await expectUnavailable(() => askEndpoint({ method: 'post', path: '/v1/payment/:id/refund' }));
    });
    expect(await countRows(harness)).to.deep.equal(before_);
  });
});

describe('MAINTENANCE', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened), { MAINTENANCE: 'true' });

  for (const { method, path } of ENDPOINTS.filter(({ path }) => path !== '/v1/status'))
    it(`${method.toUpperCase()} ${path}: 503 with a key, without, and with one that is not valid`, async () => {
      for (const apiKey of [harness.merchant.apiKey, null, newApiKey('test')]) {
        const answer = await harness.api(method, path.replace(':id', 'pay_1'), apiKey);
        expectError(harness, answer, 503);
        expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/);
        expect(answer.body.message).to.include('maintenance');
      }
    });

  const TOKEN = 'A'.repeat(32);
  for (const [method, path] of [
    ['GET', ''],
    ['HEAD', ''],
    ['GET', '/status'],
    ['GET', '/events'],
    ['POST', '/coin'],
    ['POST', '/refund-address'],
    ['POST', '/simulate'],
  ] as const)
    it(`${method} /checkout/:token${path}: 503 with a page, and no statement`, async () => {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      let answer: Answer | undefined;
      const sent = await statementsOf(async () => {
        answer = await (method === 'POST'
          ? send(server, method, `/checkout/${TOKEN}${path}`, form, 'do=pay&coin=BTC&network=bitcoin')
          : send(server, method, `/checkout/${TOKEN}${path}`));
      });
      expect(answer?.status).to.equal(503);
      expect(answer?.headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'retry-after': '60',
        'cache-control': 'no-store',
      });
      if (method !== 'HEAD') expect(answer?.text).to.include('maintenance').and.not.include('<form');
      expect(sent).to.deep.equal([]);
    });

  it('the page is in the language of the customer', async () => {
    const { text } = await send(server, 'GET', `/checkout/${TOKEN}`, { 'Accept-Language': 'de' });
    expect(text).to.include('lang="de"').and.include('gewartet');
  });

  it('GET /v1/status: 200, reports it, and still reports whether a key is valid', async () => {
    const { body } = await harness.api('get', '/v1/status').expect(200);
    expect(body).to.include({ status: 'maintenance', authenticated: true, merchant_id: harness.merchant.id });
  });

  it('needs no Postgres', async () => {
    const db = openDb({ url: 'postgres://nobody@127.0.0.1:1/nothing', name: 'test', ...WEB_DB });
    const { adapters, sandbox } = harness;
    const ctx = { ...harness.ctx, db };
    const health = lookingHealth(ctx, adapters);
    const app = createApp(ctx, { redis: null, admin: null, adapters, sandbox, health });
    const away = await listen(app);
    const status = await send(away, 'GET', '/v1/status');
    expect([status.status, status.body.status]).to.deep.equal([200, 'maintenance']);
    const answer = await send(away, 'GET', '/v1/payments', { 'X-API-Key': harness.merchant.apiKey });
    expect(answer.body.message).to.include('maintenance');
    await away.close();
    await db.destroy();
  });
});
