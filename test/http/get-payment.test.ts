import { expect } from 'chai';
import {
  createPayment,
  expectError,
  expectLimitHeaders,
  pay,
  recordQueries,
  withoutPlace,
} from '../support/http.ts';
import { createWorld, type World } from '../support/world.ts';

describe('specification: GET /v1/payment/:id', () => {
  let world: World;
  before(async () => {
    world = await createWorld({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => world.close());

  it('answers 200 with exactly what the creation answered', async () => {
    const created = await createPayment(world, { metadata: { z: '1', a: '2' } });
    const { body, text, headers } = await world.api('get', `/v1/payment/${created.id}`).expect(200);
    expect(body).to.deep.equal(created);
    expect(text).to.equal(JSON.stringify(created));
    expect(headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(headers['cache-control']).to.equal('no-store');
  });

  it('answers the updated status', async () => {
    const { id } = await createPayment(world);
    const statusNow = async (): Promise<unknown> =>
      (await world.api('get', `/v1/payment/${id}`).expect(200)).body.status;
    expect(await statusNow()).to.equal('WAITING');
    await world.api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    await world.work();
    expect(await statusNow()).to.equal('PENDING');
    await pay(world, id, { amount: '1' });
    expect(await statusNow()).to.equal('SETTLED');
  });

  it('answers EXPIRED once the deadline has passed', async () => {
    const { id } = await createPayment(world, { expiration_minutes: 5 });
    world.advance(300);
    await world.work();
    const { body } = await world.api('get', `/v1/payment/${id}`).expect(200);
    expect(body).to.include({ status: 'EXPIRED', sequence: 2 });
  });

  it('costs one round trip to Postgres with a known key', async () => {
    const { id } = await createPayment(world);
    expect(await recordQueries(() => world.api('get', `/v1/payment/${id}`).expect(200))).to.have.length(1);
  });

  it("answers 404 for another merchant's payment: the same bytes as for one that does not exist", async () => {
    const { id } = await createPayment(world);
    const other = await world.addMerchant();
    const hidden = await world.api('get', `/v1/payment/${id}`, other.apiKey);
    const missing = await world.api('get', `/v1/payment/pay_${'0'.repeat(26)}`, other.apiKey);
    expectError(world, hidden, 404);
    expectError(world, missing, 404);
    expect(withoutPlace(hidden.body)).to.deep.equal(withoutPlace(missing.body));
    expect(Object.keys(hidden.headers)).to.deep.equal(Object.keys(missing.headers));
    await world.api('get', `/v1/payment/${id}`).expect(200);
  });

  it('answers HEAD like GET, without the body', async () => {
    const { id } = await createPayment(world);
    const got = await world.api('get', `/v1/payment/${id}`).expect(200);
    const head = await world.api('head', `/v1/payment/${id}`).expect(200);
    expect(head.headers['content-length']).to.equal(got.headers['content-length']);
    expect(head.text ?? '').to.equal('');
    expectLimitHeaders(head);
    expectLimitHeaders(await world.api('head', `/v1/payment/pay_${'0'.repeat(26)}`).expect(404));
    expectLimitHeaders(await world.api('head', `/v1/payment/${id}`, null).expect(401));
  });
});
