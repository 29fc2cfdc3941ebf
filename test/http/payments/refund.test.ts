import { expect } from 'chai';
import { countRows, createPayment, expectError, expectLimitHeaders, pay } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const MAXIMUM = { field: 'amount', constraint: 'maximum' };

describe('contract: POST /v1/payment/:id/refund', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const refund = (id: string, body?: object) => {
    const request = harness.api('post', `/v1/payment/${id}/refund`);
    return body === undefined ? request : request.send(body);
  };
  const settled = async (): Promise<string> => {
    const { id } = await createPayment(harness);
    await pay(harness, id);
    return id;
  };
  const read = async (id: string) => (await harness.api('get', `/v1/payment/${id}`).expect(200)).body;

  it('returns 201 with { id, payment_id, amount, currency, status, created_at }', async () => {
    const id = await settled();
    const answer = await refund(id, { amount: '1.0', reason: 'broken' }).expect(201);
    expect(answer.body.id).to.match(/^ref_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.body).to.deep.equal({
      id: answer.body.id,
      payment_id: id,
      amount: '1.0',
      currency: 'USDC',
      status: 'PENDING',
      created_at: harness.ctx.now().toISOString(),
    });
    expect(Object.keys(answer.body)).to.deep.equal([
      'id',
      'payment_id',
      'amount',
      'currency',
      'status',
      'created_at',
    ]);
    expectLimitHeaders(answer);
  });

  it('everything is optional: without a body refunds the rest, as it was written', async () => {
    const id = await settled();
    expect((await refund(id).expect(201)).body.amount).to.equal('10.50');
    await harness.work();
    expect(await read(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.50' });
  });

  it('an empty object refunds the rest after a partial refund', async () => {
    const id = await settled();
    await refund(id, { amount: '0.5' }).expect(201);
    expect((await refund(id, {}).expect(201)).body.amount).to.equal('10');
    await harness.work();
    expect(await read(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.50' });
  });

  it('a partial refund leaves the payment SETTLED', async () => {
    const id = await settled();
    await refund(id, { amount: '0.000000000000000001' }).expect(201);
    await harness.work();
    expect(await read(id)).to.include({ status: 'SETTLED', amount_refunded: '0.000000000000000001' });
  });

  it('more than what is left: 400 on amount, and nothing stored', async () => {
    const id = await settled();
    const before_ = await countRows(harness);
    expectError(harness, await refund(id, { amount: '10.500000000000000001' }), 400, MAXIMUM);
    expect(await countRows(harness)).to.deep.equal(before_);
    await refund(id, { amount: '10' }).expect(201);
    expectError(harness, await refund(id, { amount: '0.51' }), 400, MAXIMUM);
    await refund(id, { amount: '0.5' }).expect(201);
    // The whole amount is pending, and the payment is still SETTLED.
    expectError(harness, await refund(id, { amount: '0.01' }), 400, MAXIMUM);
    expectError(harness, await refund(id), 409);
    await harness.work();
    expectError(harness, await refund(id, { amount: '0.01' }), 409);
  });

  it('a status that does not allow it: 409, and nothing stored', async () => {
    const states: [status: string, id: string][] = [];
    states.push(['WAITING', (await createPayment(harness)).id]);
    const { id: pending } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${pending}/transfers`).send({}).expect(201);
    await harness.work();
    states.push(['PENDING', pending]);
    for (const [status, id] of states) {
      expect((await read(id)).status).to.equal(status);
      const before_ = await countRows(harness);
      expectError(harness, await refund(id), 409);
      expectError(harness, await refund(id, { amount: '1' }), 409);
      expectError(harness, await refund(id, { amount: '1000' }), 409);
      expect(await countRows(harness)).to.deep.equal(before_);
    }
  });

  it('EXPIRED without money: 409; with money, in full only', async () => {
    const empty = await createPayment(harness, { expiration_minutes: 5 });
    const underpaid = await createPayment(harness, { expiration_minutes: 5 });
    await pay(harness, underpaid.id, { amount: '4' });
    harness.advance(300);
    await harness.work();
    for (const { id } of [empty, underpaid]) expect((await read(id)).status).to.equal('EXPIRED');
    expectError(harness, await refund(empty.id), 409);
    expectError(harness, await refund(empty.id, { amount: '1' }), 409);
    expectError(harness, await refund(underpaid.id, { amount: '1' }), 409);
    expectError(harness, await refund(underpaid.id, { amount: '5' }), 400, MAXIMUM);
    expect((await refund(underpaid.id).expect(201)).body.amount).to.equal('4');
    expectError(harness, await refund(underpaid.id, { amount: '4' }), 409);
    await harness.work();
    expect(await read(underpaid.id)).to.include({ status: 'REFUNDED', amount_refunded: '4' });
    expectError(harness, await refund(underpaid.id), 409);
  });

  it('of 20 at once, each for more than half, one is accepted', async () => {
    const id = await settled();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(id, { amount: '6' })));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectError(harness, answer, 400, MAXIMUM);
  });
});
