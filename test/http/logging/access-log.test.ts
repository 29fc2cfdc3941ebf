import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { shortAddress } from '../../../src/http/logging/short-address.ts';
import { flushLogs } from '../../../src/platform/log.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { listen, type Listening } from '../../support/http.ts';
import { createLink, pathOf } from '../../support/links.ts';
import { captureLog, type CapturedLog } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

const NEVER_A_PAYMENT = 'pay_00000000000000000000000000';

describe('the log of requests', () => {
  let harness: Harness;
  let server: Listening;
  let captured: CapturedLog;
  before(async () => (harness = await createHarness({ RATE_LIMIT_SCALE: '1' })));
  after(() => harness.close());
  beforeEach(async () => {
    captured = captureLog();
    const { adapters, sandbox, health } = harness;
    server = await listen(
      createApp(
        { ...harness.ctx, log: captured.log },
        { redis: null, admin: null, adapters, sandbox, health },
      ),
    );
  });
  afterEach(() => server.close());

  /** Sends a request and returns its log line. */
  async function ask(method: string, path: string, options: { key?: string | null; body?: object } = {}) {
    const { key = harness.merchant.apiKey, body } = options;
    const count = captured.lines('request').length;
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { 'X-API-Key': key }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    await until('it is logged', () => captured.lines('request').length > count);
    const line = captured.lines('request').at(-1) ?? {};
    return { line, text, id: response.headers.get('x-request-id') };
  }

  const create = async () => {
    const asked = await ask('POST', '/v1/payment', { body: { pay_amount: '10', order_id: 'o' } });
    return { ...asked, payment: JSON.parse(asked.text) as { id: string; token_id: string } };
  };

  it('is one line, with request, merchant, key, payment, route, status, duration and host', async () => {
    const { line, id, payment } = await create();
    expect(captured.lines()).to.have.length(1);
    expect(line).to.include({
      level: 'info',
      request_id: id,
      merchant_id: harness.merchant.id,
      key: harness.merchant.apiKey.slice(0, 13),
      payment_id: payment.id,
      method: 'POST',
      route: '/v1/payment',
      status: 201,
      address: '127.0.0.1',
      pid: process.pid,
    });
    expect(line.duration_ms).to.be.a('number').and.above(0);
    expect(line.host).to.be.a('string');
    const read = await ask('GET', `/v1/payment/${payment.id}`);
    expect(read.line).to.include({ route: '/v1/payment/:id', payment_id: payment.id, status: 200 });
  });

  const REFUSALS: readonly (readonly [
    path: string,
    key: string | null | undefined,
    status: number,
    reason: string,
  ])[] = [
    ['/v1/payments', null, 401, 'unauthorized: no X-API-Key header'],
    ['/v1/payments', 'not-even-a-key', 401, 'unauthorized: X-API-Key has not the form of a key'],
    [
      '/v1/payments',
      `sk_test_${'A'.repeat(32)}`,
      401,
      'unauthorized: X-API-Key is unknown, revoked or expired',
    ],
    [`/v1/payment/${NEVER_A_PAYMENT}`, undefined, 404, 'payment_not_found'],
    ['/v1/nothing?secret=1', undefined, 404, 'route_not_found'],
    ['/v1/payments?limit=x', undefined, 400, 'validation: limit type'],
    ['/checkout/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', null, 404, 'no payment has this token'],
  ];
  for (const [path, key, status, reason] of REFUSALS)
    it(`names why a request is refused, ${reason}, and not what it sent`, async () => {
      const { line } = await ask('GET', path, key === undefined ? {} : { key });
      expect(line).to.include({ level: 'info', status, reason });
      expect(JSON.stringify(line)).to.not.match(/A{16}|not-even|secret/);
      if (path.includes(NEVER_A_PAYMENT)) expect(line.payment_id).to.equal(NEVER_A_PAYMENT);
      if (status === 404 && path.startsWith('/v1/nothing')) expect(line.path).to.equal('/v1/nothing');
    });

  it('names the limit of a 429, and writes a flood of them ten times and then as a number', async () => {
    const other = await harness.addMerchant();
    for (let i = 0; i < 60; i += 1)
      await fetch(`${server.url}/v1/webhooks/config`, { headers: { 'X-API-Key': other.apiKey } });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { status } = await fetch(`${server.url}/v1/webhooks/config`, {
          headers: { 'X-API-Key': other.apiKey },
        });
        return status;
      }),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([429]));
    await until('the last is counted', () => {
      flushLogs();
      const refused = captured.lines('request').filter(({ status }) => status === 429);
      return (
        refused.reduce((sum, { repeated }) => sum + (typeof repeated === 'number' ? repeated : 1), 0) === 100
      );
    });
    const refused = captured.lines('request').filter(({ status }) => status === 429);
    expect(refused.length).to.be.below(100);
    expect(refused[0]).to.include({
      merchant_id: other.id,
      reason: 'rate_limited: getWebhookConfig, 60 a minute',
    });
    expect(captured.lines('request').filter(({ status }) => status === 200)).to.have.length(60);
  });

  it("holds no customer's address or token", async () => {
    const { payment } = await create();
    const page = await ask('GET', `/checkout/${payment.token_id}`, { key: null });
    expect(page.line).to.include({ route: '/checkout/:token', status: 200 });
    expect(page.line).to.not.have.property('address');
    const guess = await ask('GET', '/checkout/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB', { key: null });
    expect(guess.line.address).to.equal('127.0.0.0/24');
    expect(captured.text()).to.not.include(payment.token_id);
  });

  it("holds no customer's address or token on the page of a payment link", async () => {
    const link = await createLink(harness);
    const { line } = await ask('GET', pathOf(link), { key: null });
    expect(line).to.include({ route: '/l/:token', status: 200 });
    expect(line).to.not.have.property('address');
    const guess = await ask('GET', `/l/${'B'.repeat(32)}`, { key: null });
    expect(guess.line.address).to.equal('127.0.0.0/24');
    expect(captured.text()).to.not.include(pathOf(link).slice(3));
  });

  it('holds no token of an invitation to the desk, nor of a link of a till, whatever becomes of the request', async () => {
    const token = 'aToken-of_an-invitation_to_0Desk';
    for (const path of ['dashboard/invitations', 'dashboard/links', 'till/pair'].map(
      (kind) => `/${kind}/${token}`,
    ))
      for (const [method, end] of [
        ['GET', ''],
        ['POST', ''],
        ['PUT', ''],
        ['GET', '/nothing'],
      ] as const)
        await ask(method, `${path}${end}`, { key: null });
    expect(captured.text()).to.not.include(token);
  });

  it('holds no token of a page that fails', async () => {
    const token = 'aToken-of_a-page-that_fails_0000';
    const { db } = harness.ctx;
    for (const [kind, table] of [
      ['passwords', 'password_links'],
      ['invitations', 'invitations'],
    ] as const) {
      await db.raw('ALTER TABLE ?? RENAME TO gone', [table]);
      const { line } = await ask('GET', `/dashboard/${kind}/${token}`, { key: null });
      await db.raw('ALTER TABLE gone RENAME TO ??', [table]);
      expect(line.status).to.equal(500);
    }
    expect(captured.lines('page failed').map(({ path }) => path)).to.deep.equal([
      '/dashboard/passwords/:token',
      '/dashboard/invitations/:token',
    ]);
    expect(captured.text()).to.not.include(token);
  });

  it('holds no token of a path that no route has, however it is written', async () => {
    const { payment } = await create();
    const rest = payment.token_id.slice(1);
    const encoded = `%${payment.token_id.charCodeAt(0).toString(16)}${rest}`;
    for (const path of [
      `/CHECKOUT/${payment.token_id}`,
      `/checkout/${encoded}`,
      `/Checkout//${encoded}`,
      `//CHECKOUT/${encoded}`,
    ]) {
      const { line } = await ask('GET', `${path}/nothing`, { key: null });
      expect(line).to.include({ route: 'none', status: 404, address: '127.0.0.0/24' });
      expect(line.path).to.match(/^\/+checkout\/+:token\/nothing$/i);
    }
    expect(captured.text()).to.not.include(rest);
  });

  it('has a line for each change of configuration: what, whose, and by which key', async () => {
    const { id: merchant_id } = harness.merchant;
    const webhookUrl = 'https://shop.example/hooks/a-token-in-the-path?key=another-token';
    const { id } = await ask('PUT', '/v1/webhooks/config', { body: { webhookUrl, enabled: true } });
    await ask('POST', '/v1/webhooks/secrets/rotate', { body: { overlap_hours: 1 } });
    const changes = captured.lines('configuration changed');
    const by = { level: 'info', merchant_id, key: harness.merchant.apiKey.slice(0, 13) };
    expect(changes).to.have.length(2);
    expect(changes[0]).to.include({
      ...by,
      request_id: id,
      change: 'webhook configuration',
      enabled: true,
      receiver: 'shop.example',
    });
    expect(changes[1]).to.include({ ...by, change: 'webhook secret rotated', overlap_hours: 1 });
    expect(captured.text()).to.not.match(/a-token-in-the-path|another-token|whsec_/);
  });

  it('shortens addresses to their network', () => {
    expect(shortAddress('203.0.113.77')).to.equal('203.0.113.0/24');
    expect(shortAddress('2001:db8:1:2::/64')).to.equal('2001:db8:1::/48');
    expect(shortAddress('')).to.equal('unknown');
  });
});
