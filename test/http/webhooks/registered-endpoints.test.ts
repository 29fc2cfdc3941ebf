import { expect } from 'chai';
import type { DeliveryList } from '../../../src/domain/webhooks/deliveries/schemas.ts';
import type { WebhookEndpoint } from '../../../src/domain/webhooks/endpoint-list/schemas.ts';
import {
  MAX_AT_ORIGIN,
  MAX_REGISTERED,
  type EndpointSettings,
} from '../../../src/domain/webhooks/registrations/schemas.ts';
import { sweepEndpoints } from '../../../src/domain/webhooks/endpoints/sweep.ts';
import { verifyThinWebhook, verifyWebhook } from '../../../src/sdk/index.ts';
import { configure } from '../../support/deliveries.ts';
import { expectError } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';

const DAY = 86_400;

describe('registered webhook endpoints', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  let status: number;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    status = 200;
    receiver = await startReceiver({
      answer: ({ path }) => ({ status: path.startsWith('/own') ? 200 : status }),
    });
    await harness.work();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const at = (path: string) => `${new URL(receiver.url).origin}${path}`;
  const register = async (settings: Partial<EndpointSettings> = {}) => {
    const body = { url: at('/books'), ...settings };
    return (await harness.api('post', '/v1/webhooks/endpoints').send(body).expect(201))
      .body as WebhookEndpoint;
  };
  const pathOf = ({ id }: Pick<WebhookEndpoint, 'id'>) => `/v1/webhooks/endpoints/${id}`;
  const read = async (one: WebhookEndpoint) =>
    (await harness.api('get', pathOf(one)).expect(200)).body as WebhookEndpoint;
  const secretOf = async (one: WebhookEndpoint): Promise<string> =>
    (await harness.api('get', `${pathOf(one)}/secrets`).expect(200)).body.secret;
  const set = (one: WebhookEndpoint, settings: Partial<EndpointSettings>) =>
    harness.api('put', pathOf(one)).send({ url: one.url, ...settings });
  const sell = async (body: Parameters<Shop['create']>[0] = {}) => {
    const id = await shop.create(body);
    await harness.work();
    return id;
  };
  const settle = async () => {
    const id = await sell();
    await shop.pay(id);
    await shop.mine(50);
    return id;
  };
  const log = async (query = '') =>
    ((await harness.api('get', `/v1/webhooks/deliveries?${query}`).expect(200)).body as DeliveryList).data;
  const paths = () => receiver.requests.map(({ path }) => path).toSorted();
  const typesAt = (path: string) =>
    receiver.requests
      .filter((one) => one.path === path)
      .map(({ rawBody }) => JSON.parse(rawBody.toString()).type as string);

  it('receive each event beside the webhookUrl and the callback_url, signed with their own secrets', async () => {
    await configure(harness, at('/own'));
    const [books, stock] = [await register(), await register({ url: at('/stock'), description: 'Stock' })];
    await sell();
    await sell({ callback_url: at('/own/order') });
    expect(paths()).to.deep.equal(['/books', '/books', '/own', '/own/order', '/stock', '/stock']);
    for (const [path, secret] of [
      ['/own', harness.merchant.webhookSecret],
      ['/books', await secretOf(books)],
      ['/stock', await secretOf(stock)],
    ] as const)
      for (const request of receiver.requests) {
        const { headers, rawBody } = request;
        const verified = verifyWebhook({ headers, rawBody, secrets: secret, now: harness.ctx.now() });
        expect(verified.ok, `${request.path} by the secret of ${path}`).to.equal(
          request.path.startsWith(path),
        );
      }
    const events = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    expect(events.size, 'the same event has the same id everywhere').to.equal(2);
    expect((await log()).map(({ endpoint_id }) => endpoint_id)).to.have.members([
      null,
      null,
      books.id,
      books.id,
      stock.id,
      stock.id,
    ]);
    expect((await log(`endpoint_id=${stock.id}`)).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      stock.id,
      stock.id,
    ]);
  });

  it('need no webhookUrl: without one the log has no delivery that was not sent', async () => {
    await register();
    await settle();
    expect(typesAt('/books')).to.deep.equal([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
    ]);
    expect((await log()).every((one) => one.status === 'delivered')).to.equal(true);
  });

  it('receive the types that they ask for; what nobody asks for is in the log as not sent', async () => {
    await register({ event_types: ['checkout.settled'] });
    await settle();
    expect(paths()).to.deep.equal(['/books']);
    expect(typesAt('/books')).to.deep.equal(['checkout.settled']);
    const reasons = (await log()).map(({ type, failed_because }) => [type, failed_because]);
    expect(reasons).to.deep.include(['checkout.created', 'webhooks_disabled']);
    expect(reasons).to.deep.include(['checkout.settled', null]);
  });

  it('are read, listed, changed and deleted by their merchant alone', async () => {
    const one = await register({ description: 'Books', event_types: ['checkout.settled'] });
    expect(one).to.include({ description: 'Books', enabled: true, payload: 'full', default: false });
    expect(one.id).to.match(/^whe_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(one.health.state).to.equal('untested');
    expect(await read(one)).to.deep.equal(one);
    const list = await harness.api('get', '/v1/webhooks/endpoints').expect(200);
    expect(list.body.data).to.deep.equal([one]);

    const changed = await set(one, { url: at('/other'), payload: 'thin' }).expect(200);
    expect(changed.body).to.include({
      url: at('/other'),
      description: null,
      event_types: null,
      payload: 'thin',
    });

    const { apiKey } = await harness.addMerchant();
    for (const [method, path] of [
      ['get', pathOf(one)],
      ['put', pathOf(one)],
      ['delete', pathOf(one)],
      ['get', `${pathOf(one)}/secrets`],
      ['post', `${pathOf(one)}/secrets/rotate`],
    ] as const) {
      const request = harness.api(method, path, apiKey);
      const { body } = await (method === 'put' ? request.send({ url: at('/x') }) : request).expect(404);
      expect(body.message, `${method} ${path}`).to.equal(
        'There is no such endpoint: GET /v1/webhooks/endpoints lists them.',
      );
    }
    expect((await harness.api('delete', pathOf(one)).expect(200)).body.id).to.equal(one.id);
    await harness.api('get', pathOf(one)).expect(404);
    await harness.api('delete', pathOf(one)).expect(404);
    expect((await harness.api('get', '/v1/webhooks/endpoints').expect(200)).body.data).to.deep.equal([]);
  });

  it('are created once for an Idempotency-Key', async () => {
    const create = () =>
      harness
        .api('post', '/v1/webhooks/endpoints')
        .set('Idempotency-Key', 'books')
        .send({ url: at('/books') })
        .expect(201);
    const [first, second] = await Promise.all([create(), create()]);
    expect(second.body.id).to.equal(first.body.id);
    expect((await harness.api('get', '/v1/webhooks/endpoints').expect(200)).body.data).to.have.length(1);
  });

  it(`are ${MAX_REGISTERED} at most, also when several are registered at once`, async () => {
    for (let count = 2; count < MAX_REGISTERED; count += 1)
      await register({ url: `https://shop${Math.floor(count / MAX_AT_ORIGIN)}.example/` });
    const statuses = await Promise.all(
      [1, 2, 3].map(() => harness.api('post', '/v1/webhooks/endpoints').send({ url: at('/books') })),
    );
    expect(statuses.map((one) => one.status)).to.have.members([201, 201, 409]);
  });

  it(`are ${MAX_AT_ORIGIN} at most at one origin, also when they are registered and moved at once`, async () => {
    for (let count = 2; count < MAX_AT_ORIGIN; count += 1)
      await register({ url: at(`/${count}?x=${count}`) });
    const elsewhere = await register({ url: 'https://elsewhere.example/' });
    const url = at('/last');
    const add = () => harness.api('post', '/v1/webhooks/endpoints').send({ url });
    const answers = await Promise.all([add(), add(), set(elsewhere, { url }), add()]);
    expect(answers.filter(({ status: sent }) => sent === 409)).to.have.length(2);
    for (const answer of answers)
      if (answer.status === 409) expect(answer.text).to.include('10 registered endpoints at');
    const full = await harness.api('get', '/v1/webhooks/endpoints?limit=100').expect(200);
    const [one] = (full.body.data as WebhookEndpoint[]).filter((each) => each.url?.startsWith(at('/')));
    // It moves within its origin.
    await harness
      .api('put', pathOf({ id: one?.id ?? '' }))
      .send({ url: at('/moved') })
      .expect(200);
    // Another port is another origin, and so is another scheme.
    await register({ url: at('/last').replace('http:', 'https:') });
  });

  it('refuse settings that are not sound, and change nothing', async () => {
    const one = await register();
    for (const [settings, field, constraint] of [
      [{ url: 'ftp://shop.example/' }, 'url', 'format'],
      [{ event_types: [] }, 'event_types', 'minItems'],
      [{ event_types: ['checkout.setled'] }, 'event_types.0', 'enum'],
      [{ payload: 'small' }, 'payload', 'enum'],
      [{ enabled: 'yes' }, 'enabled', 'type'],
      [{ descripton: 'x' }, 'descripton', 'additionalProperties'],
    ] as const) {
      const response = await harness.api('put', pathOf(one)).send({ url: one.url, ...settings });
      expectError(harness, response, 400, { field, constraint });
    }
    expect(await read(one)).to.deep.equal(one);
  });

  it('that are disabled let what is pending wait, and record new events with the reason', async () => {
    const one = await register();
    status = 500;
    await sell();
    status = 200;
    await set(one, { enabled: false }).expect(200);
    harness.advance(600);
    await harness.work();
    await sell();
    expect(paths(), 'nothing more is sent').to.deep.equal(['/books']);
    expect((await log()).map(({ failed_because, status: is }) => [is, failed_because])).to.deep.equal([
      ['failed', 'webhooks_disabled'],
      ['pending', null],
    ]);
    expect((await read(one)).enabled).to.equal(false);
    await set(one, { enabled: true }).expect(200);
    await harness.work();
    expect(paths()).to.deep.equal(['/books', '/books']);
  });

  it('have health and are switched off by themselves, and their merchant switches them on again', async () => {
    await configure(harness, at('/own'));
    const one = await register();
    status = 410;
    await sell();
    status = 200;
    await sell();
    expect(paths(), 'the webhookUrl is served').to.deep.equal(['/books', '/own', '/own']);
    const off = await read(one);
    expect(off.health).to.include({ state: 'switched_off', switchedOffBecause: 'gone', failureRate: 1 });
    const [delivery] = await log(`endpoint_id=${one.id}`);
    expectError(harness, await harness.api('post', `/v1/webhooks/deliveries/${delivery?.id}/redeliver`), 409);
    // Setting the webhookUrl says nothing of others.
    await configure(harness, at('/own'));
    expect((await read(one)).health.state).to.equal('switched_off');
    const enabled = await harness.api('post', '/v1/webhooks/endpoints/enable').send({ id: one.id });
    expect(enabled.body.health.state).to.equal('untested');
    harness.advance(1);
    await harness.api('post', `/v1/webhooks/deliveries/${delivery?.id}/redeliver`).expect(202);
    await harness.work();
    expect(typesAt('/books')).to.have.length(2);
    expect((await read(one)).health.state).to.equal('healthy');
  });

  it('receive what was recorded before they were registered, on request, and alone', async () => {
    const begin = harness.ctx.now().toISOString();
    await configure(harness, at('/own'));
    await sell();
    await sell();
    const one = await register();
    const body = { from_date: begin, endpoint_id: one.id };
    expect((await harness.api('post', '/v1/webhooks/redeliver').send(body).expect(202)).body.count).to.equal(
      2,
    );
    harness.advance(1);
    await harness.work();
    expect(paths()).to.deep.equal(['/books', '/books', '/own', '/own']);
    const { apiKey } = await harness.addMerchant();
    await harness.api('post', '/v1/webhooks/redeliver', apiKey).send(body).expect(404);
  });

  it('receive what was recorded before they took its type, on request', async () => {
    const begin = harness.ctx.now().toISOString();
    const one = await register({ event_types: ['checkout.refunded'] });
    harness.advance(DAY);
    await sell();
    const ask = async () =>
      (await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: begin }).expect(202)).body.count;
    expect(await ask()).to.equal(0);
    await set(one, { event_types: ['checkout.created'] }).expect(200);
    expect(await ask()).to.equal(1);
    harness.advance(1);
    await harness.work();
    expect(typesAt('/books')).to.deep.equal(['checkout.created']);
  });

  it('that are deleted receive nothing more: what is pending fails, also what a run read before', async () => {
    const one = await register();
    status = 500;
    await sell();
    await harness.api('delete', pathOf(one)).expect(200);
    harness.advance(DAY);
    await harness.work();
    await sell();
    expect(paths()).to.deep.equal(['/books']);
    expect((await log(`endpoint_id=${one.id}`)).map(({ failed_because }) => failed_because)).to.deep.equal([
      'endpoint_switched_off',
    ]);
    // A transaction that read the endpoint before it was deleted adds a delivery after.
    await harness.ctx.db.raw(
      `UPDATE deliveries SET status = 'pending', failed_because = NULL, next_attempt_at = ?, finished_at = NULL
       WHERE endpoint_id LIKE '% whe_%'`,
      [harness.ctx.now()],
    );
    await harness.ctx.db.raw(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
       SELECT 'webhook.deliver', endpoint_id, now() - interval '9 years', now() - interval '9 years'
       FROM deliveries WHERE status = 'pending'`,
    );
    await harness.work();
    expect(paths()).to.deep.equal(['/books']);
    expect((await log()).every((each) => each.status === 'failed')).to.equal(true);

    harness.advance(40 * DAY);
    expect(await sweepEndpoints(harness.ctx)).to.equal(2);
    const { rows } = await harness.ctx.db.raw<{ rows: object[] }>('SELECT FROM endpoint_registrations');
    expect(rows).to.have.length(0);
  });

  it('rotate their secrets by themselves, and both sign until the overlap ends', async () => {
    const one = await register();
    const before = await secretOf(one);
    const rotated = await harness
      .api('post', `${pathOf(one)}/secrets/rotate`)
      .send({})
      .expect(200);
    expect(rotated.body.previous[0].secret).to.equal(before);
    await sell();
    const [request] = receiver.requests;
    for (const secrets of [before, rotated.body.secret])
      expect(
        verifyWebhook({
          headers: request?.headers ?? {},
          rawBody: request?.rawBody ?? '',
          secrets,
          now: harness.ctx.now(),
        }).ok,
      ).to.equal(true);
    const own = await harness.api('get', '/v1/webhooks/secrets').expect(200);
    expect(own.body.previous, "the merchant's own stays").to.deep.equal([]);
  });

  it('with thin events receive an id, a type and a link, under which the event is', async () => {
    await configure(harness, at('/own'));
    const one = await register({ payload: 'thin' });
    await sell();
    const thin = receiver.requests.find(({ path }) => path === '/books');
    const whole = receiver.requests.find(({ path }) => path === '/own');
    const verified = verifyThinWebhook({
      headers: thin?.headers ?? {},
      rawBody: thin?.rawBody ?? '',
      secrets: await secretOf(one),
      now: harness.ctx.now(),
    });
    if (!verified.ok) throw new Error(verified.message);
    expect(Object.keys(JSON.parse(String(thin?.rawBody)))).to.deep.equal(['id', 'type', 'link']);
    expect(verified.event.type).to.equal('checkout.created');
    const { pathname } = new URL(verified.event.link);
    expect((await harness.api('get', pathname).expect(200)).text).to.equal(String(whole?.rawBody));
    const { apiKey } = await harness.addMerchant();
    expectError(harness, await harness.api('get', pathname, apiKey), 404);
    expectError(harness, await harness.api('get', '/v1/events/evt_1'), 404);
    const refused = verifyThinWebhook({
      headers: whole?.headers ?? {},
      rawBody: whole?.rawBody ?? '',
      secrets: harness.merchant.webhookSecret,
      now: harness.ctx.now(),
    });
    expect(refused).to.include({ ok: false, reason: 'body_not_event' });
  });

  it('receive the events of payments whose clock was moved, by that clock', async () => {
    await configure(harness, at('/own'));
    await register();
    status = 500;
    const id = await sell();
    status = 200;
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '2h' }).expect(200);
    await harness.work();
    const types = typesAt('/books');
    expect(
      types.filter((type) => type === 'checkout.created'),
      'failed, then delivered',
    ).to.have.length(2);
    expect(types.at(-1)).to.equal('checkout.failed');
    expect(typesAt('/own')).to.deep.equal(['checkout.created', 'checkout.failed']);
  });

  it('are tested and examined with their own URL and secret', async () => {
    const one = await register();
    const sent = await harness.api('post', '/v1/webhooks/test').send({ endpoint_id: one.id }).expect(200);
    expect(sent.body).to.include({ url: at('/books'), delivered: true });
    const [{ headers, rawBody } = { headers: {}, rawBody: '' }] = receiver.requests;
    const secrets = await secretOf(one);
    expect(verifyWebhook({ headers, rawBody, secrets, now: harness.ctx.now() }).ok).to.equal(true);
    const { apiKey } = await harness.addMerchant();
    expectError(
      harness,
      await harness.api('post', '/v1/webhooks/test', apiKey).send({ endpoint_id: one.id }),
      404,
    );
  });
});
