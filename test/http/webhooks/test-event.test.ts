import { expect } from 'chai';
import { EVENT_TYPES } from '../../../src/domain/payments/lifecycle/states.ts';
import { isId } from '../../../src/platform/values/ids.ts';
import { verifyWebhook } from '../../../src/sdk/index.ts';
import { countRows, expectError, expectLimitHeaders } from '../../support/http.ts';
import { redirect, startReceiver, type Receiver } from '../../support/receivers.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/webhooks/test', () => {
  let harness: Harness;
  let receiver: Receiver;
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  after(() => harness.close());

  const test = (body: object, apiKey?: string) => harness.api('post', '/v1/webhooks/test', apiKey).send(body);
  const configure = (webhookUrl: string | null, enabled: boolean, apiKey?: string) =>
    harness.api('put', '/v1/webhooks/config', apiKey).send({ webhookUrl, enabled }).expect(200);

  for (const type of EVENT_TYPES)
    it(`sends one ${type}, signed as real ones are, and returns the result`, async () => {
      await configure(receiver.url, true);
      const { body, ...answer } = await test({ type }).expect(200);
      expectLimitHeaders(answer);
      const { duration_ms, event, ...rest } = body;
      expect(rest).to.deep.equal({
        url: receiver.url,
        delivered: true,
        status_code: 200,
        error: null,
        response_excerpt: '',
      });
      expect(duration_ms).to.be.a('number').and.satisfy(Number.isInteger);
      expect(receiver.requests).to.have.length(1);
      const [{ rawBody, headers } = expect.fail()] = receiver.requests;
      expect(headers).to.include({ 'x-webhook-test': 'true', 'content-type': 'application/json' });
      const verified = {
        rawBody,
        headers,
        secrets: harness.merchant.webhookSecret,
        now: harness.ctx.systemNow(),
      };
      expect(verifyWebhook(verified)).to.deep.equal({ ok: true, event, eventId: event.id });
      expect(event).to.include({ type, timestamp: harness.ctx.now().toISOString() });
      expect(isId('evt', event.id)).to.equal(true);
      expect(event.metadata.orderId).to.equal('test-order');
    });

  it('sends checkout.settled by default, about a new payment each time', async () => {
    const bodies = [await test({ url: receiver.url }), await test({ url: receiver.url })].map(
      ({ body }) => body,
    );
    expect(bodies.map(({ event }) => event.type)).to.deep.equal(['checkout.settled', 'checkout.settled']);
    expect(bodies[0].event.id).to.not.equal(bodies[1].event.id);
    expect(bodies[0].event.data.checkout.id).to.not.equal(bodies[1].event.data.checkout.id);
  });

  it("is about a payment in the merchant's own settlement coin, by the merchant's own policy", async () => {
    const { apiKey } = await harness.addMerchant({ currency: 'USDT', network: 'tron' });
    const { event } = (await test({ url: receiver.url }, apiKey).expect(200)).body;
    expect(event.data.checkout).to.include({ currency: 'USDT', cryptoCurrency: 'USDT', status: 'SETTLED' });
    expect(event.data.payment).to.include({ network: 'tron', confirmations: 20, requiredConfirmations: 20 });
  });

  it('goes to the url of the request in place of the configured one, which need not be enabled', async () => {
    const other = await startReceiver();
    await configure(receiver.url, false);
    await test({ url: other.url }).expect(200);
    expect([receiver.requests.length, other.requests.length]).to.deep.equal([0, 1]);
    await test({}).expect(200);
    expect([receiver.requests.length, other.requests.length]).to.deep.equal([1, 1]);
    await other.close();
  });

  it('stores nothing', async () => {
    const before_ = await countRows(harness);
    await test({ url: receiver.url }).expect(200);
    expect(await countRows(harness)).to.deep.equal(before_);
  });

  it('is for live merchants, too', async () => {
    const { apiKey } = await harness.addMerchant({ mode: 'live' });
    expect((await test({ url: receiver.url }, apiKey).expect(200)).body.delivered).to.equal(true);
  });

  it('answers 200 also when the receiver rejects, redirects or is unreachable, and reports it', async () => {
    const refusing = await startReceiver({ answer: () => ({ status: 401, body: 'bad signature' }) });
    const refused = (await test({ url: refusing.url }).expect(200)).body;
    expect(refused).to.include({ delivered: false, status_code: 401, response_excerpt: 'bad signature' });
    expect(refused.error).to.equal('answered 401');
    await refusing.close();
    const away = (await test({ url: refusing.url }).expect(200)).body;
    expect(away).to.include({ delivered: false, status_code: null, response_excerpt: null });
    expect(away.error).to.include('ECONNREFUSED');
    const moving = await startReceiver({ answer: () => redirect(308, receiver.url) });
    const moved = (await test({ url: moving.url }).expect(200)).body;
    expect(moved).to.include({ delivered: false, status_code: 308 });
    expect(receiver.requests, 'redirects are not followed').to.have.length(0);
    await moving.close();
  });

  it('with an idempotency key sends once, and answers the same again', async () => {
    const ask = () => test({ url: receiver.url }).set('Idempotency-Key', 'once').expect(200);
    const [first, second] = [await ask(), await ask()];
    expect(second.text).to.equal(first.text);
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(receiver.requests).to.have.length(1);
    expectError(harness, await test({ url: `${receiver.url}/2` }).set('Idempotency-Key', 'once'), 409);
  });

  it('400: no URL anywhere, an unknown type, a bad URL, an unknown field', async () => {
    const { apiKey } = await harness.addMerchant();
    for (const path of ['/v1/webhooks/test', '/v1/webhooks/examine'])
      expectError(harness, await harness.api('post', path, apiKey).send({}), 400, {
        field: 'url',
        constraint: 'required',
      });
    for (const [body, field, constraint] of [
      [{ type: 'checkout.paid' }, 'type', 'enum'],
      [{ url: 'ftp://shop.example/' }, 'url', 'format'],
      [{ url: null }, 'url', 'type'],
      [{ uri: receiver.url }, 'uri', 'additionalProperties'],
    ] as const)
      expectError(harness, await test(body, apiKey), 400, { field, constraint });
  });

  it('reaches no private network where that is not allowed', async () => {
    const guarded = await createHarness({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' });
    try {
      for (const path of ['/v1/webhooks/test', '/v1/webhooks/examine']) {
        const request = guarded.api('post', path).send({ url: 'https://127.0.0.1/' });
        expectError(guarded, await request, 400, { field: 'url', constraint: 'format' });
      }
    } finally {
      await guarded.close();
    }
  });
});
