import { expect } from 'chai';
import {
  ConflictError,
  ConnectionError,
  PaymentCheckout,
  RateLimitError,
  ServerError,
  TimeoutError,
  type ClientOptions,
} from '../../../src/sdk/client/index.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { listen, ORDER, type Listening } from '../../support/http.ts';
import { until } from '../../support/until.ts';

describe('a request of the client that fails for a moment', () => {
  let harness: Harness;
  let service: Listening;
  let gate: Gate;
  let apiKey: string;
  let waits: number[];
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
  });
  beforeEach(async () => {
    ({ apiKey } = await harness.addMerchant());
    gate = await startGate(service.url);
    waits = [];
  });
  afterEach(() => gate.close());
  after(async () => {
    await service.close();
    await harness.close();
  });

  /** A client that notes how long it would wait, and does not. */
  const clientWith = (options: Partial<ClientOptions> = {}) =>
    new PaymentCheckout({
      apiKey,
      baseUrl: gate.url,
      random: () => 0,
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      ...options,
    });
  const count = async () => (await clientWith().payments.list()).pagination.total;
  const keys = () => new Set(gate.requests.map(({ headers }) => headers['idempotency-key']));
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it succeeded'),
      (error: unknown) => error,
    );

  it('is repeated after 503, 502, 500 and a connection that breaks, later and later, until it passes', async () => {
    gate.faults.push({ status: 503 }, { status: 502 }, 'lost', { status: 500 });
    const { status } = await clientWith().payments.create(ORDER);
    expect(status).to.equal('WAITING');
    expect(waits).to.deep.equal([250, 500, 1000, 2000]);
    expect(gate.requests).to.have.lengthOf(5);
  });

  for (const fault of ['lost', 'silent'] as const)
    it(`has one effect when the response of the first attempt is ${fault}, because its key is the same`, async () => {
      gate.faults.push(fault);
      const options = fault === 'silent' ? { timeoutMs: 1_000 } : {};
      const { id } = await clientWith().payments.create(ORDER, options);
      expect(gate.requests).to.have.lengthOf(2);
      expect([...keys()])
        .to.have.lengthOf(1)
        .and.not.include(undefined);
      expect(await clientWith().payments.get(id)).to.include({ id });
      expect(await count()).to.equal(1);
    });

  it('has another key than the next request, unless the caller passes one', async () => {
    const client = clientWith();
    await client.payments.create(ORDER);
    await client.payments.create(ORDER);
    expect(await count()).to.equal(2);
    const first = await client.payments.create(ORDER, { idempotencyKey: 'order-1' });
    const second = await client.payments.create(ORDER, { idempotencyKey: 'order-1' });
    expect(second).to.deep.equal(first);
    const other = client.payments.create({ ...ORDER, order_id: '2' }, { idempotencyKey: 'order-1' });
    expect(await failure(other)).to.be.instanceOf(ConflictError);
  });

  it('waits as long as Retry-After says, in seconds or as an instant', async () => {
    gate.faults.push({ status: 429, headers: { 'Retry-After': '7' } });
    const date = 'Sat, 31 Jan 2026 12:00:00 GMT';
    gate.faults.push({
      status: 503,
      headers: { Date: date, 'Retry-After': 'Sat, 31 Jan 2026 12:00:09 GMT' },
    });
    await clientWith().payments.create(ORDER);
    expect(waits).to.deep.equal([7_000, 9_000]);
  });

  it('is not held for longer than two minutes: the caller decides then', async () => {
    gate.faults.push({ status: 503, headers: { 'Retry-After': '121' } });
    expect(await failure(clientWith().payments.list()))
      .to.be.instanceOf(ServerError)
      .and.include({ retryAfterMs: 121_000 });
    expect(waits).to.deep.equal([]);
  });

  it('ends with the last error once its retries are used up', async () => {
    gate.faults.push('lost', 'lost', { status: 503 });
    expect(await failure(clientWith({ maxRetries: 2 }).payments.list())).to.be.instanceOf(ServerError);
    gate.faults.push('lost');
    const broken = await failure(clientWith({ maxRetries: 0 }).payments.list());
    expect(broken).to.be.instanceOf(ConnectionError).and.not.instanceOf(TimeoutError);
    gate.faults.push('silent');
    const late = await failure(clientWith({ maxRetries: 0, timeoutMs: 100 }).payments.list());
    expect(late).to.be.instanceOf(TimeoutError);
  });

  it('is not repeated when it was refused for what it says, or for its network', async () => {
    const live = await harness.addMerchant({ mode: 'live' });
    await failure(clientWith({ apiKey: live.apiKey }).payments.create(ORDER));
    await failure(clientWith().payments.create({ ...ORDER, order_id: '' }));
    expect(waits).to.deep.equal([]);
    expect(gate.requests).to.have.lengthOf(2);
  });

  it("ends with the signal's reason, while it waits for the response or for the next attempt", async () => {
    const reason = new Error('the shop is closed');
    for (const fault of ['silent', { status: 503, headers: { 'Retry-After': '60' } }] as const) {
      const controller = new AbortController();
      gate.faults.push(fault);
      const before = gate.requests.length;
      const held = clientWith({ sleep: undefined }).payments.list({}, { signal: controller.signal });
      await until('the request arrives', () => gate.requests.length > before);
      controller.abort(reason);
      expect(await failure(held)).to.equal(reason);
    }
  });
});

describe('the rate limits of the service', () => {
  it('hold the client for as long as they say, and are an error of their own in the end', async () => {
    // One payment a minute.
    const harness = await createHarness({ RATE_LIMIT_SCALE: '0.02' });
    const service = await listen(harness.app);
    const waits: number[] = [];
    const client = new PaymentCheckout({
      apiKey: harness.merchant.apiKey,
      baseUrl: service.url,
      maxRetries: 1,
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    });
    await client.payments.create(ORDER);
    const limited = await client.payments.create(ORDER).catch((error: unknown) => error);
    await service.close();
    await harness.close();
    expect(limited).to.be.instanceOf(RateLimitError).and.include({ status: 429, code: 'rate_limited' });
    expect(waits).to.have.lengthOf(1);
    expect(waits[0]).to.be.within(1_000, 66_000);
    expect((limited as RateLimitError).retryAfterMs).to.be.within(1_000, 60_000);
  });
});
