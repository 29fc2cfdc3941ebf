import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  ApiError,
  AuthenticationError,
  NotFoundError,
  PaymentCheckout,
  ValidationError,
} from '../../../src/sdk/client/index.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { listen, ORDER, type Listening } from '../../support/http.ts';

const ID = 'pay_01M7X9Y9E5YM9A1356S2WPNB4R';

describe('the client, over HTTP', () => {
  let harness: Harness;
  let service: Listening;
  let gate: Gate;
  let client: PaymentCheckout;
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
    gate = await startGate(service.url);
  });
  beforeEach(async () => {
    const { apiKey } = await harness.addMerchant();
    client = new PaymentCheckout({ apiKey, baseUrl: `${gate.url}/` });
    gate.requests.length = 0;
  });
  after(async () => {
    await gate.close();
    await service.close();
    await harness.close();
  });

  it('creates, reads and refunds payments', async () => {
    const { id, status } = await client.payments.create({ ...ORDER, metadata: { sku: 'a' } });
    expect(status).to.equal('WAITING');
    expect(await client.payments.get(id)).to.deep.include({
      id,
      pay_amount: '10.50',
      metadata: { sku: 'a' },
    });
    const { payment } = await client.sandbox.scenario({ story: 'paid' });
    expect(payment.status).to.equal('SETTLED');
    const refund = await client.payments.refund(payment.id, { amount: '1.00', reason: 'a gift' });
    expect(refund).to.include({ payment_id: payment.id, amount: '1.00', reason: 'a gift' });
    expect((await client.payments.refunds(payment.id)).data.map(({ id }) => id)).to.deep.equal([refund.id]);
    expect(await client.status()).to.include({ authenticated: true });
  });

  it('walks lists page by page, and no further than it is asked to', async () => {
    const ids: string[] = [];
    for (let order = 0; order < 5; order += 1) {
      harness.advance(1);
      ids.unshift((await client.payments.create({ ...ORDER, order_id: `order ${order}` })).id);
    }
    gate.requests.length = 0;
    const found: string[] = [];
    for await (const { id } of client.payments.all({ limit: 2, status: ['WAITING', 'PENDING'] }))
      found.push(id);
    expect(found).to.deep.equal(ids);
    expect(gate.requests).to.have.lengthOf(3);
    for await (const { id } of client.payments.all({ limit: 2 })) {
      expect(id).to.equal(ids[0]);
      break;
    }
    expect(gate.requests).to.have.lengthOf(4);
  });

  it('walks the feed, and goes on behind the event that was handled last', async () => {
    const created = [];
    for (let order = 0; order < 3; order += 1) {
      harness.advance(1);
      created.push(await client.payments.create(ORDER));
    }
    const events = [];
    for await (const event of client.events.all({ limit: 1 })) events.push(event);
    expect(events.map(({ data }) => data.checkout.id)).to.deep.equal(created.map(({ id }) => id));
    const rest = [];
    for await (const event of client.events.all({ after: events[0]?.id ?? '' })) rest.push(event.id);
    expect(rest).to.deep.equal(events.slice(1).map(({ id }) => id));
  });

  it('rejects with the class of the status, the field, the rule and the request', async () => {
    const invalid = await client.payments
      .create({ ...ORDER, pay_amount: '-1' })
      .catch((error: unknown) => error);
    expect(invalid).to.be.instanceOf(ValidationError).and.instanceOf(ApiError);
    expect(invalid).to.deep.include({
      name: 'ValidationError',
      status: 400,
      code: 'validation',
      details: { field: 'pay_amount', constraint: 'pattern' },
    });
    expect((invalid as ValidationError).requestId).to.match(/^req_/);
    expect(await client.payments.get(ID).catch((error: unknown) => error)).to.be.instanceOf(NotFoundError);
    expect(gate.requests).to.have.lengthOf(2);
  });

  it('shows its key nowhere: not in errors, and not when it is printed', async () => {
    const apiKey = 'sk_test_of-nobody';
    const stranger = new PaymentCheckout({ apiKey, baseUrl: gate.url, maxRetries: 0 });
    const refused = await stranger.payments.get(ID).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AuthenticationError);
    gate.faults.push('lost');
    const broken = await stranger.payments.get(ID).catch((error: unknown) => error);
    for (const value of [refused, broken, stranger, stranger.payments])
      expect(inspect(value, { depth: null, showHidden: true }) + JSON.stringify(value)).to.not.include(
        apiKey,
      );
    for (const bad of ['', `${apiKey} é`, `${apiKey}\n${apiKey}`, `whsec_${apiKey}`])
      expect(() => new PaymentCheckout({ apiKey: bad, baseUrl: gate.url }))
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.include(apiKey);
  });

  it('does not follow a redirect, which would take the key elsewhere', async () => {
    gate.faults.push({ status: 307, headers: { Location: `${service.url}/v1/status` } });
    const error = await client.status().catch((error: unknown) => error);
    expect(error).to.be.instanceOf(ApiError).and.include({ status: 307, code: 'unexpected' });
  });

  it('says of a redirect that it is one, and what to do', async () => {
    gate.faults.push({ status: 301, headers: { Location: 'https://pay.example/' } });
    const error = (await client.status().catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).to.match(/301, a redirect.*baseUrl/);
  });

  it('names an option that cannot work, and the remedy, in its constructor', () => {
    const good = { apiKey: 'sk_test_of-nobody', baseUrl: gate.url };
    for (const [wrong, message] of [
      [{ apiKey: undefined }, /^apiKey is undefined, .*: is PAYMENT_CHECKOUT_KEY set\?$/],
      [{ apiKey: null }, /^apiKey is null, /],
      [{ apiKey: ' ' }, /^apiKey is empty, .*: is PAYMENT_CHECKOUT_KEY set\?$/],
      [{ apiKey: 'undefined' }, /^apiKey must be an API key: it begins with sk_/],
      [{ baseUrl: undefined }, /^baseUrl is undefined, .*: is PAYMENT_CHECKOUT_URL set\?$/],
      [{ baseUrl: '' }, /^baseUrl is empty, .*: is PAYMENT_CHECKOUT_URL set\?$/],
      [{ baseUrl: 'pay.example' }, /^baseUrl must be an http\(s\) URL, such as https:\/\/pay\.example$/],
      [{ baseUrl: 'localhost:3000' }, /^baseUrl must be an http\(s\) URL/],
      [{ baseUrl: new URL(gate.url) }, /^baseUrl is object, and must be a string/],
      [{ baseUrl: 'https://u:p@pay.example' }, /without credentials/],
      [{ baseUrl: `${gate.url}/v1` }, /^baseUrl must end before \/v1/],
      [{ baseUrl: `${gate.url}/v1/` }, /^baseUrl must end before \/v1/],
      [{ baseUrl: `${gate.url}/v1/payment` }, /^baseUrl must end before \/v1/],
      [{ timeoutMs: '5000' }, /^timeoutMs must be a number of milliseconds above 0$/],
      [{ maxRetries: '1' }, /^maxRetries must be a whole number/],
      [{ fetch: {} }, /^fetch must be a function/],
    ] as const)
      expect(() => new PaymentCheckout({ ...good, ...wrong } as never), JSON.stringify(wrong)).to.throw(
        TypeError,
        message,
      );
    expect(() => new PaymentCheckout(undefined as never)).to.throw(TypeError, /takes one object/);
  });

  it('trims key and URL, such as the line feed at the end of a file', async () => {
    const { apiKey } = harness.merchant;
    const trimmed = new PaymentCheckout({ apiKey: ` ${apiKey}\r\n`, baseUrl: `${gate.url}/\n` });
    expect(await trimmed.status()).to.include({ authenticated: true });
  });

  it('names an option of a request that cannot work, before anything is sent', async () => {
    const call = client.payments.create.bind(client.payments) as (...args: unknown[]) => Promise<unknown>;
    for (const [wrong, message] of [
      [{ idempotencyKey: 7 }, /^idempotencyKey must be a string/],
      [{ timeoutMs: '5000' }, /^timeoutMs must be a number/],
      [{ timeoutMs: null }, /^timeoutMs must be a number/],
      [{ signal: new AbortController() }, /^signal must be an AbortSignal/],
    ] as const) {
      const error = await call(ORDER, wrong).catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(wrong))
        .to.be.instanceOf(TypeError)
        .with.property('message')
        .that.matches(message);
    }
    const list = client.payments.list({ order_id: null as unknown as string });
    expect(await list.catch((error: unknown) => error)).to.have.property(
      'message',
      'order_id is null: leave it out, or name a value',
    );
    expect(gate.requests).to.deep.equal([]);
  });

  it('refuses an id that would name another path, before anything is sent', () => {
    for (const id of ['', '..', 'a/b', 'a?b', 'a%2f', undefined, null, 7] as string[]) {
      expect(() => client.payments.get(id), id).to.throw(TypeError, /^an id /);
      expect(() => client.events.get(id), id).to.throw(TypeError, /^an id /);
      expect(() => client.webhooks.endpoint(id), id).to.throw(TypeError, /^an id /);
      expect(() => client.webhooks.jwks(id), id).to.throw(TypeError, /^an id /);
      expect(() => client.deliveries.get(id), id).to.throw(TypeError, /^an id /);
      expect(() => client.sandbox.transfer(id), id).to.throw(TypeError, /^an id /);
    }
    expect(gate.requests).to.deep.equal([]);
  });
});

describe('the methods of the client', () => {
  it('reach every endpoint of the API, each by its method and path', async () => {
    const reached: string[] = [];
    const client = new PaymentCheckout({
      apiKey: 'sk_test_of-nobody',
      baseUrl: 'http://service.example',
      fetch: (url, init) => {
        reached.push(`${init?.method?.toLowerCase()} ${new URL(url).pathname.replaceAll(ID, ':id')}`);
        return Promise.resolve(new Response('{ "data": [], "pagination": { "has_more": false } }'));
      },
    });
    const { payments, links, events, webhooks, deliveries, wallets, appearance, sandbox } = client;
    const range = { from_date: '2026-01-31' };
    await Promise.all([
      client.status(),
      payments.create(ORDER),
      payments.get(ID),
      payments.list(),
      payments.cancel(ID),
      payments.refund(ID),
      payments.refunds(ID),
      payments.announceRefund(ID, ID, { tx_hash: '0x' }),
      payments.clearRefundAddress(ID),
      payments.events(ID),
      events.list(),
      events.redeliveries(),
      webhooks.config(),
      webhooks.setConfig({ webhookUrl: null, enabled: false }),
      webhooks.secrets(),
      webhooks.rotateSecret(),
      webhooks.endpoints(),
      webhooks.enableEndpoint(),
      webhooks.register({ url: 'https://shop.example/hooks' }),
      webhooks.endpoint(ID),
      webhooks.setEndpoint(ID, { url: 'https://shop.example/hooks' }),
      webhooks.deleteEndpoint(ID),
      webhooks.endpointSecrets(ID),
      webhooks.rotateEndpointSecret(ID),
      webhooks.signingKeys(),
      webhooks.rotateSigningKey(),
      webhooks.jwks(ID),
      events.get(ID),
      webhooks.test(),
      webhooks.examine(),
      deliveries.list(),
      deliveries.get(ID),
      deliveries.redeliver(ID),
      deliveries.redeliverRange(range),
      links.create({ title: 'Tea', prices: [{ amount: '1' }] }),
      links.list(),
      links.get(ID),
      links.update(ID, { title: 'Tea' }),
      links.archive(ID),
      wallets.list(),
      appearance.get(),
      appearance.set({}),
      appearance.setLogo(new Uint8Array(1), 'image/png'),
      appearance.deleteLogo(),
      sandbox.transfer(ID),
      sandbox.replace(ID),
      sandbox.rates({ BTC: '1' }),
      sandbox.advance(ID, { by: '1m' }),
      sandbox.scenario({ story: 'paid' }),
    ]);
    expect(reached).to.have.members(
      ENDPOINTS.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':id')}`),
    );
  });
});
