import { expect } from 'chai';
import { startReceiver } from '../../support/receivers.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('a payment', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  it('is created, seen, confirmed, converted and settled, and reports each step by a webhook', async () => {
    const receiver = await startReceiver();
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: receiver.url, enabled: true })
      .expect(200);
    const { body: created } = await harness
      .api('post', '/v1/payment')
      .send({ pay_amount: '10.50', order_id: 'o1' })
      .expect(201);
    await harness.work();
    await harness.api('post', `/v1/sandbox/payments/${created.id}/transfers`).send({}).expect(201);
    await harness.work();
    for (let block = 0; block < 13; block += 1) {
      harness.advance(1);
      await harness.work();
    }
    const { body: settled } = await harness.api('get', `/v1/payment/${created.id}`).expect(200);
    expect(settled).to.include({
      status: 'SETTLED',
      actually_paid: '10.50',
      actually_paid_currency: 'USDC',
      sequence: 4,
    });
    expect(receiver.requests.map(({ rawBody }) => JSON.parse(rawBody.toString()).type)).to.deep.equal([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
    ]);
    await receiver.close();
  });
});
