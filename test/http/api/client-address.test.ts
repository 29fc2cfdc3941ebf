import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { clientsBehind } from '../../../src/http/api/client-address.ts';
import { PageStreams } from '../../../src/http/checkout/page-streams.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { paymentIn } from '../../support/checkout.ts';
import { openEvents, type EventClient } from '../../support/event-stream.ts';
import { expectError, expectLimitHeaders, listen, send, type Listening } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the address of a client', () => {
  const seen = (trusted: string[], peer: string, forwarded?: string) =>
    clientsBehind(trusted).addressOf({
      socket: { remoteAddress: peer },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as Parameters<ReturnType<typeof clientsBehind>['addressOf']>[0]);
  const PROXIES = ['10.0.0.0/8', '2001:db8:f::/48'];

  for (const [what, trusted, peer, forwarded, expected] of [
    ['without proxies: that of the connection', [], '192.0.2.1', undefined, '192.0.2.1'],
    ['without proxies the header is forged', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['from another address than a proxy the header is forged', PROXIES, '192.0.2.1', '1.1.1.1', '192.0.2.1'],
    ['behind a proxy: the last entry', PROXIES, '10.0.0.1', '1.1.1.1, 192.0.2.1', '192.0.2.1'],
    ['behind two proxies', PROXIES, '10.0.0.1', '1.1.1.1, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    [
      'a trusted address before an untrusted one is forged',
      PROXIES,
      '10.0.0.1',
      '10.0.0.3, 192.0.2.1',
      '192.0.2.1',
    ],
    ['of trusted addresses alone: the first', PROXIES, '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy without the header', PROXIES, '10.0.0.1', undefined, '10.0.0.1'],
    ['what is no address stands for the proxy', PROXIES, '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['an empty header', PROXIES, '10.0.0.1', '', '10.0.0.1'],
    ['a port is left out', PROXIES, '10.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    ['a port after IPv6', PROXIES, '10.0.0.1', '[2001:db8:1:2:3::4]:80', '2001:db8:1:2::/64'],
    ['IPv6 counts by its /64', [], '2001:db8:1:2:ffff::1', undefined, '2001:db8:1:2::/64'],
    ['another spelling of it', [], '2001:0DB8:1:2::9', undefined, '2001:db8:1:2::/64'],
    ['a mapped address is IPv4', [], '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['a mapped proxy', PROXIES, '::ffff:10.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['a proxy of IPv6', PROXIES, '2001:db8:f::1', '192.0.2.1', '192.0.2.1'],
    ['a single proxy', ['192.0.2.9'], '192.0.2.9', '192.0.2.1', '192.0.2.1'],
    ['beside a single proxy', ['192.0.2.9'], '192.0.2.8', '192.0.2.1', '192.0.2.8'],
    ['a client that has left', PROXIES, '', '192.0.2.1', ''],
  ] as const)
    it(`${what}: ${expected || 'none'}`, () => {
      expect(seen([...trusted], peer, forwarded)).to.equal(expected);
    });

  it('the neighbour of a /64 is another client', () => {
    expect(seen([], '2001:db8:1:3::1')).to.not.equal(seen([], '2001:db8:1:2::1'));
  });
});

describe('limits behind a load balancer', () => {
  let harness: Harness;
  let streams: PageStreams;
  let server: Listening;
  let open: EventClient[] = [];
  before(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  beforeEach(async () => {
    server = await serve('127.0.0.0/8');
  });
  afterEach(async () => {
    for (const client of open) client.close();
    open = [];
    streams.close();
    await server.close();
  });
  after(() => harness.close());

  const serve = (trusted: string) => {
    const { databaseUrl } = harness.ctx.config;
    const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, TRUSTED_PROXIES: trusted });
    const ctx = { ...harness.ctx, config };
    streams = new PageStreams(ctx, { intervalMs: 3_600_000 });
    const { adapters, sandbox, health } = harness;
    return listen(createApp(ctx, { redis: null, admin: null, adapters, sandbox, health, live: streams }));
  };
  const ask = (path: string, forwarded?: string) =>
    send(server, 'GET', path, forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded });
  const statuses = async (count: number, path: string, forwarded?: string) => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) all.push((await ask(path, forwarded)).status);
    return all;
  };

  it('300 page loads a minute for each customer, whatever they forge', async () => {
    const path = `/checkout/${'A'.repeat(32)}`;
    for (let n = 0; n < 300; n += 1)
      expect((await ask(path, `203.0.113.${n % 250}, 192.0.2.1`)).status).to.equal(404);
    expect((await ask(path, '203.0.113.250, 192.0.2.1')).status).to.equal(429);
    expect((await ask(path, '192.0.2.2')).status).to.equal(404);
  });

  it('120 requests for the status for each customer; a /64 is one', async () => {
    for (let n = 0; n < 120; n += 1)
      expect((await ask('/v1/status', `2001:db8::${n.toString(16)}`)).status).to.equal(200);
    expectError(harness, await ask('/v1/status', '2001:db8::ffff'), 429);
    expect((await ask('/v1/status', '2001:db8:0:1::1')).status).to.equal(200);
  });

  it("the balancer's own health check is never refused, and has the headers of the limit", async () => {
    expect(new Set(await statuses(130, '/v1/status', '192.0.2.1'))).to.deep.equal(new Set([200, 429]));
    expect(new Set(await statuses(250, '/v1/status'))).to.deep.equal(new Set([200]));
    const probe = await ask('/v1/status');
    expectLimitHeaders(probe);
    expect(probe.headers['x-ratelimit-remaining']).to.equal('120');
    expect(new Set(await statuses(61, '/v1/nothing')), 'nothing but the status').to.include(429);
  });

  it('100 streams for each customer', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const stream = async (forwarded: string) => {
      const client = await openEvents(`${server.url}/checkout/${token_id}/events`, {
        'X-Forwarded-For': forwarded,
      });
      open.push(client);
      return client.status;
    };
    for (let n = 0; n < 100; n += 1) expect(await stream('192.0.2.1')).to.equal(200);
    expect(await stream('1.1.1.1, 192.0.2.1')).to.equal(429);
    expect(await stream('192.0.2.2')).to.equal(200);
  });

  it('401s count for each customer', async () => {
    expect(new Set(await statuses(60, '/v1/payments', '192.0.2.1'))).to.deep.equal(new Set([401]));
    expect((await ask('/v1/payments', '192.0.2.1')).status).to.equal(429);
    expect((await ask('/v1/payments', '192.0.2.2')).status).to.equal(401);
  });

  it('from an address that is no proxy the header changes nothing', async () => {
    await server.close();
    server = await serve('10.0.0.0/8');
    for (let n = 0; n < 120; n += 1) expect((await ask('/v1/status', `192.0.2.${n}`)).status).to.equal(200);
    expectError(harness, await ask('/v1/status', '192.0.2.200'), 429);
    expectError(harness, await ask('/v1/status'), 429);
  });
});
