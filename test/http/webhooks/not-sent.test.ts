import { expect } from 'chai';
import type { DeliveryList, DeliveryWithAttempts } from '../../../src/domain/webhooks/deliveries/schemas.ts';
import type { WebhookEndpointList } from '../../../src/domain/webhooks/endpoint-list/schemas.ts';
import { configure, createPaymentsWithDeliveries } from '../../support/deliveries.ts';
import { expectError } from '../../support/http.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** "Where is my webhook?" */
describe('events that are not sent', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  let begin: string;
  let status: number;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    status = 200;
    receiver = await startReceiver({
      answer: ({ path }) => ({ status: path.startsWith('/own') ? status : 200 }),
    });
    await configure(harness, receiver.url);
    await harness.work();
    begin = harness.ctx.now().toISOString();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const own = () => `${new URL(receiver.url).origin}/own`;
  const deliver = async (callback_url: string | null = own()) => {
    const [id = ''] = await createPaymentsWithDeliveries(
      harness,
      shop,
      1,
      callback_url === null ? {} : { callback_url },
    );
    await harness.work();
    return id;
  };
  const log = async (query = '') =>
    ((await harness.api('get', `/v1/webhooks/deliveries?${query}`).expect(200)).body as DeliveryList).data;
  const reasons = async () => (await log()).map(({ failed_because }) => failed_because);
  const endpoints = async (query = '') =>
    ((await harness.api('get', `/v1/webhooks/endpoints?${query}`).expect(200)).body as WebhookEndpointList)
      .data;
  const states = async (query = '') =>
    (await endpoints(query)).map(({ url, health }) => [url, health.state] as const);
  const enable = (body: object) => harness.api('post', '/v1/webhooks/endpoints/enable').send(body);
  const redeliverAll = () => harness.api('post', '/v1/webhooks/redeliver').send({ from_date: begin });
  const redeliver = (id: string) => harness.api('post', `/v1/webhooks/deliveries/${id}/redeliver`);
  /** One order's 410 switches the path off; a later event of it is not sent. */
  const switchOff = async () => {
    status = 410;
    await deliver(`${own()}?order=1`);
    status = 200;
    await deliver(`${own()}?order=2`);
    expect(receiver.requests.filter(({ path }) => path.startsWith('/own'))).to.have.length(1);
  };

  it('because a callback_url is switched off are in the log with the reason', async () => {
    await switchOff();
    expect(await reasons()).to.deep.equal(['endpoint_switched_off', 'endpoint_switched_off']);
    const [later, first] = await log('status=failed');
    expect(later).to.include({
      attempts: 0,
      next_attempt_at: null,
      last_status_code: null,
      last_error: null,
    });
    expect(later?.finished_at).to.be.a('string');
    expect(first).to.include({ attempts: 1, last_status_code: 410, last_error: 'status' });
    const { body } = await harness.api('get', `/v1/webhooks/deliveries/${first?.id}`).expect(200);
    const attempts = (body as DeliveryWithAttempts).log;
    expect(attempts.map(({ next_attempt_at }) => next_attempt_at)).to.deep.equal([null]);
  });

  it('because webhooks are off are in the log with the reason, those of a callback_url included', async () => {
    await configure(harness, receiver.url, false);
    await deliver();
    await deliver(null);
    expect(await reasons()).to.deep.equal(['webhooks_disabled', 'webhooks_disabled']);
    await configure(harness, receiver.url);
    await harness.work();
    expect(receiver.requests, 'nothing is sent without a request').to.have.length(0);
    expect((await redeliverAll().expect(202)).body.count).to.equal(2);
    harness.advance(1);
    await harness.work();
    expect(await reasons()).to.deep.equal([null, null]);
    expect(receiver.requests.map(({ path }) => path)).to.have.members(['/own', '/hooks']);
  });

  it('have their endpoint listed, with its health, beside the default one', async () => {
    expect(await states()).to.deep.equal([[receiver.url, 'untested']]);
    await switchOff();
    await deliver(null);
    expect(await states()).to.deep.equal([
      [receiver.url, 'healthy'],
      [own(), 'switched_off'],
    ]);
    const [, gone] = await endpoints();
    expect(gone).to.deep.include({ default: false });
    expect(gone?.health).to.include({ switchedOffBecause: 'gone', failureRate: 1, lastSuccessAt: null });
    expect(await states('state=switched_off')).to.deep.equal([[own(), 'switched_off']]);
    const { apiKey } = await harness.addMerchant();
    const others = await harness.api('get', '/v1/webhooks/endpoints', apiKey).expect(200);
    expect(others.body.data, "another merchant's").to.deep.equal([]);
  });

  it('are refused a redelivery with the right reason, until their endpoint is enabled', async () => {
    await switchOff();
    const [later] = await log();
    const single = await redeliver(later?.id ?? '');
    expectError(harness, single, 409);
    expect(single.body.message).to.include('/v1/webhooks/endpoints/enable');
    const range = await redeliverAll();
    expectError(harness, range, 409);
    expect(range.body.message).to.include('/v1/webhooks/endpoints/enable');
    await deliver(null);
    const partly = await redeliverAll().send({ from_date: begin, which: 'all' }).expect(202);
    expect(partly.body).to.include({ count: 1, switched_off: 2 });

    const answer = await enable({ url: `${own()}?order=2` }).expect(200);
    expect(answer.body).to.deep.include({ url: own(), default: false });
    expect(answer.body.health).to.include({ state: 'untested', switchedOffAt: null, failureRate: null });
    expect((await redeliverAll().expect(202)).body).to.include({ count: 2 });
    harness.advance(1);
    await harness.work();
    expect(await reasons()).to.deep.equal([null, null, null]);
    expect(await states()).to.deep.equal([
      [receiver.url, 'healthy'],
      [own(), 'healthy'],
    ]);
    await redeliver(later?.id ?? '').expect(202);
  });

  it('with an endpoint whose row is gone are redelivered one by one as well', async () => {
    await configure(harness, receiver.url, false);
    await deliver();
    await configure(harness, receiver.url);
    const [delivery] = await log();
    await redeliver(delivery?.id ?? '').expect(202);
    await harness.work();
    const again = { status: 'delivered', failed_because: null, attempts: 1, last_status_code: 200 };
    const [sent] = await log();
    expect(sent).to.include({ ...again, id: delivery?.id ?? '' });
  });

  it('while the default endpoint is switched off do not hold back those of a callback_url', async () => {
    await deliver();
    await deliver(null);
    await harness.ctx.db.raw(
      `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'gone' WHERE id = merchant_id`,
    );
    const answer = await redeliverAll().send({ from_date: begin, which: 'all' }).expect(202);
    expect(answer.body).to.include({ count: 1, switched_off: 1 });
    expect((await enable({}).expect(200)).body).to.include({ url: receiver.url, default: true });
  });

  it('an endpoint to which nothing was ever sent cannot be enabled: 404', async () => {
    expectError(harness, await enable({ url: 'https://nowhere.example/' }), 404);
    expectError(harness, await enable({ url: 'mailto:a@b' }), 400, { field: 'url', constraint: 'format' });
  });

  it('pages of endpoints return each once', async () => {
    for (const path of ['c', 'a', 'b.x']) await deliver(`${new URL(receiver.url).origin}/${path}`);
    await deliver(null);
    const urls: (string | null)[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await harness.api('get', `/v1/webhooks/endpoints?limit=1${query}`).expect(200);
      const page = body as WebhookEndpointList;
      urls.push(...page.data.map(({ url }) => url));
      expect(page.pagination.has_more).to.equal(page.pagination.next_cursor !== null);
      cursor = page.pagination.next_cursor;
    }
    expect(urls.map((url) => new URL(url ?? '').pathname)).to.have.members(['/hooks', '/a', '/b.x', '/c']);
    expectError(harness, await harness.api('get', '/v1/webhooks/endpoints?cursor=x'), 400, {
      field: 'cursor',
      constraint: 'format',
    });
  });
});
