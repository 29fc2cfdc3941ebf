import { expect } from 'chai';
import { storyEndpoints, sandboxEndpoints } from '../../../src/domain/sandbox/routes.ts';
import { realOutside } from '../../../src/domain/sandbox/outside.ts';
import { createPayment, countRows, expectError } from '../../support/http.ts';
import { createWorld, type TestMerchant, type World } from '../../support/world.ts';

const exchange = { post: () => Promise.reject(new Error('not here')), close: () => Promise.resolve() };
const ENDPOINTS = [
  ...sandboxEndpoints,
  ...storyEndpoints({ outside: realOutside(exchange), handlersFor: () => new Map() }),
];

describe('the sandbox and live keys', () => {
  let world: World;
  let live: TestMerchant;
  before(async () => {
    world = await createWorld();
    live = await world.addMerchant({ name: 'Live', mode: 'live' });
  });
  after(() => world.close());

  it('a key says which it is', () => {
    expect(live.apiKey).to.match(/^sk_live_[\w-]{32}$/);
    expect(world.merchant.apiKey).to.match(/^sk_test_[\w-]{32}$/);
  });

  for (const { method, path } of ENDPOINTS) {
    it(`${method} ${path}: a live key is answered 403, also before validation, and nothing happens`, async () => {
      const { id } = await createPayment(world, {}, live.apiKey);
      const before_ = await countRows(world);
      for (const body of [{}, { by: '1m' }, { story: 'paid' }, { nonsense: 1 }])
        expectError(world, await world.api(method, path.replace(':id', id), live.apiKey).send(body), 403);
      expect(await countRows(world)).to.deep.equal(before_);
    });

    it(`${method} ${path}: a test key without sandbox:write is answered 403, no key 401`, async () => {
      const { apiKey } = await world.addMerchant({ permissions: ['payments:read', 'payments:write'] });
      expectError(world, await world.api(method, path.replace(':id', 'x'), apiKey).send({}), 403);
      expectError(world, await world.api(method, path.replace(':id', 'x'), null).send({}), 401);
    });

    it(`${method} ${path}: a test key cannot reach a live payment`, async () => {
      if (!path.includes(':id')) return;
      const { id } = await createPayment(world, {}, live.apiKey);
      const body = path.endsWith('advance') ? { by: '1m' } : {};
      expectError(world, await world.api(method, path.replace(':id', id)).send(body), 404);
    });
  }

  it('lists of the two never mix', async () => {
    const own = await createPayment(world, { order_id: 'same' });
    const real = await createPayment(world, { order_id: 'same' }, live.apiKey);
    const told = (await world.api('post', '/v1/sandbox/scenarios').send({ story: 'paid' }).expect(200)).body;
    const list = async (apiKey: string) => {
      const { body } = await world.api('get', '/v1/payments?limit=100', apiKey).expect(200);
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    expect(await list(world.merchant.apiKey)).to.include.members([own.id, told.payment.id]);
    expect(await list(world.merchant.apiKey)).to.not.include(real.id);
    const ofLive = await list(live.apiKey);
    expect(ofLive).to.include(real.id);
    expect(ofLive).to.not.include.members([own.id]);
    expect(ofLive).to.not.include.members([told.payment.id]);
    expectError(world, await world.api('get', `/v1/payment/${real.id}`), 404);
    expectError(world, await world.api('get', `/v1/payment/${own.id}`, live.apiKey), 404);
  });

  it('SANDBOX=off: none of it is there', async () => {
    const off = await createWorld({ SANDBOX: 'off' });
    try {
      const { id } = await createPayment(off);
      for (const { method, path } of ENDPOINTS)
        expectError(off, await off.api(method, path.replace(':id', id)).send({}), 404);
      const { body } = await off.api('get', '/openapi.json');
      expect(Object.keys(body.paths).filter((path) => path.includes('sandbox'))).to.deep.equal([]);
    } finally {
      await off.close();
    }
  });
});
