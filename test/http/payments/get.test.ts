import { expect } from 'chai';
import { createPayment, expectError, expectLimitHeaders, pay, withoutPlace } from '../../support/http.ts';
import { recordQueries } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('specification: GET /v1/payment/:id', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  it('returns 200 with exactly the body of the creation', async () => {
    const created = await createPayment(harness, { metadata: { z: '1', a: '2' } });
    const { body, text, headers } = await harness.api('get', `/v1/payment/${created.id}`).expect(200);
    expect(body).to.deep.equal(created);
    expect(text).to.equal(JSON.stringify(created));
    expect(headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(headers['cache-control']).to.equal('no-store');
  });

  it('returns the updated status', async () => {
    const { id } = await createPayment(harness);
    const statusNow = async (): Promise<unknown> =>
      (await harness.api('get', `/v1/payment/${id}`).expect(200)).body.status;
    expect(await statusNow()).to.equal('WAITING');
    await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    await harness.work();
    expect(await statusNow()).to.equal('PENDING');
    await pay(harness, id, { amount: '1' });
    expect(await statusNow()).to.equal('SETTLED');
  });

  it('returns EXPIRED once the deadline has passed', async () => {
    const { id } = await createPayment(harness, { expiration_minutes: 5 });
    harness.advance(300);
    await harness.work();
    const { body } = await harness.api('get', `/v1/payment/${id}`).expect(200);
    expect(body).to.include({ status: 'EXPIRED', sequence: 2 });
  });

  it('costs one round trip to Postgres with a known key', async () => {
    const { id } = await createPayment(harness);
    expect(await recordQueries(() => harness.api('get', `/v1/payment/${id}`).expect(200))).to.have.length(1);
  });

  it("returns 404 for another merchant's payment: the same bytes as for one that does not exist", async () => {
    const { id } = await createPayment(harness);
    const other = await harness.addMerchant();
    const hidden = await harness.api('get', `/v1/payment/${id}`, other.apiKey);
    const missing = await harness.api('get', `/v1/payment/pay_${'0'.repeat(26)}`, other.apiKey);
    expectError(harness, hidden, 404);
    expectError(harness, missing, 404);
    expect(withoutPlace(hidden.body)).to.deep.equal(withoutPlace(missing.body));
    expect(Object.keys(hidden.headers)).to.deep.equal(Object.keys(missing.headers));
    await harness.api('get', `/v1/payment/${id}`).expect(200);
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const { id } = await createPayment(harness);
    const got = await harness.api('get', `/v1/payment/${id}`).expect(200);
    const head = await harness.api('head', `/v1/payment/${id}`).expect(200);
    expect(head.headers['content-length']).to.equal(got.headers['content-length']);
    expect(head.text ?? '').to.equal('');
    expectLimitHeaders(head);
    expectLimitHeaders(await harness.api('head', `/v1/payment/pay_${'0'.repeat(26)}`).expect(404));
    expectLimitHeaders(await harness.api('head', `/v1/payment/${id}`, null).expect(401));
  });
});
