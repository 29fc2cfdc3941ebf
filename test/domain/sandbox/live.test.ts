import { expect } from 'chai';
import { sandboxEndpoints } from '../../../src/domain/sandbox/routes.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import { createPayment, countRows, expectError } from '../../support/http.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

const ENDPOINTS = sandboxEndpoints(SANDBOX);

describe('the sandbox and live keys', () => {
  let harness: Harness;
  let live: TestMerchant;
  before(async () => {
    harness = await createHarness({ SIMULATE_LIVE: 'true' });
    live = await harness.addMerchant({ name: 'Live', mode: 'live' });
  });
  after(() => harness.close());

  it('a key shows its mode', () => {
    expect(live.apiKey).to.match(/^sk_live_[\w-]{32}$/);
    expect(harness.merchant.apiKey).to.match(/^sk_test_[\w-]{32}$/);
  });

  for (const { method, path } of ENDPOINTS) {
    it(`${method} ${path}: a live key gets 403, even before validation, and nothing happens`, async () => {
      const { id } = await createPayment(harness, {}, live.apiKey);
      const before_ = await countRows(harness);
      for (const body of [{}, { by: '1m' }, { story: 'paid' }, { nonsense: 1 }])
        expectError(harness, await harness.api(method, path.replace(':id', id), live.apiKey).send(body), 403);
      expect(await countRows(harness)).to.deep.equal(before_);
    });

    it(`${method} ${path}: a test key without sandbox:write gets 403, no key 401`, async () => {
      const { apiKey } = await harness.addMerchant({ permissions: ['payments:read', 'payments:write'] });
      expectError(harness, await harness.api(method, path.replace(':id', 'x'), apiKey).send({}), 403);
      expectError(harness, await harness.api(method, path.replace(':id', 'x'), null).send({}), 401);
    });

    it(`${method} ${path}: a test key cannot reach a live payment`, async () => {
      if (!path.includes(':id')) return;
      const { id } = await createPayment(harness, {}, live.apiKey);
      const body = path.endsWith('advance') ? { by: '1m' } : {};
      expectError(harness, await harness.api(method, path.replace(':id', id)).send(body), 404);
    });
  }

  it('lists of live and test payments never mix', async () => {
    const own = await createPayment(harness, { order_id: 'same' });
    const real = await createPayment(harness, { order_id: 'same' }, live.apiKey);
    const scenario = (await harness.api('post', '/v1/sandbox/scenarios').send({ story: 'paid' }).expect(200))
      .body;
    const list = async (apiKey: string) => {
      const { body } = await harness.api('get', '/v1/payments?limit=100', apiKey).expect(200);
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    expect(await list(harness.merchant.apiKey)).to.include.members([own.id, scenario.payment.id]);
    expect(await list(harness.merchant.apiKey)).to.not.include(real.id);
    const ofLive = await list(live.apiKey);
    expect(ofLive).to.include(real.id);
    expect(ofLive).to.not.include.members([own.id]);
    expect(ofLive).to.not.include.members([scenario.payment.id]);
    expectError(harness, await harness.api('get', `/v1/payment/${real.id}`), 404);
    expectError(harness, await harness.api('get', `/v1/payment/${own.id}`, live.apiKey), 404);
  });

  it('SANDBOX=off: none of the endpoints exists', async () => {
    const off = await createHarness({ SANDBOX: 'off' });
    try {
      const { id } = await createPayment(off);
      for (const { method, path } of ENDPOINTS)
        expectError(off, await off.api(method, path.replace(':id', id)).send({}), 404);
      const { body } = await off.api('get', '/v1/openapi.json');
      expect(Object.keys(body.paths).filter((path) => path.includes('sandbox'))).to.deep.equal([]);
    } finally {
      await off.close();
    }
  });
});
