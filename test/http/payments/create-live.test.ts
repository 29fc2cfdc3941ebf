import { expect } from 'chai';
import { countRows, createPayment, expectError, ORDER } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/payment with a live key', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  for (const [currency, network] of [
    ['USDC', 'ethereum'],
    ['BTC', 'bitcoin'],
    ['USDT', 'tron'],
    ['POL', 'polygon'],
    ['SOL', 'solana'],
  ] as const)
    it(`returns 503 while ${network} has no client, names it, and stores nothing, no claim either`, async () => {
      const { apiKey } = await harness.addMerchant({ mode: 'live', currency, network });
      const before_ = await countRows(harness);
      for (const order of [ORDER, ORDER, { ...ORDER, pay_amount: '2' }]) {
        const request = harness.api('post', '/v1/payment', apiKey).set('Idempotency-Key', 'same');
        const answer = await request.send(order);
        expectError(harness, answer, 503);
        expect(answer.body.message).to.include('network_unavailable').and.include(network);
        expect(answer.headers).to.not.have.property('idempotent-replayed');
      }
      expect(await countRows(harness)).to.deep.equal(before_);
    });

  it('validates before that, and serves test merchants', async () => {
    const { apiKey } = await harness.addMerchant({ mode: 'live' });
    const answer = await harness.api('post', '/v1/payment', apiKey).send({ order_id: 'x' });
    expectError(harness, answer, 400, { field: 'pay_amount', constraint: 'required' });
    expect(await createPayment(harness)).to.include({ status: 'WAITING' });
  });

  it('creates a payment with SIMULATE_LIVE=true, and /v1/status says so', async () => {
    expect((await harness.api('get', '/v1/status')).body).to.not.have.property('simulated');
    const simulated = await createHarness({ SIMULATE_LIVE: 'true' });
    try {
      const { apiKey } = await simulated.addMerchant({ mode: 'live' });
      expect(await createPayment(simulated, {}, apiKey)).to.include({ status: 'WAITING' });
      for (const key of [apiKey, simulated.merchant.apiKey, null])
        expect((await simulated.api('get', '/v1/status', key)).body.simulated).to.equal(true);
    } finally {
      await simulated.close();
    }
  });
});
