import { expect } from 'chai';
import { startReceiver } from '../../support/receivers.ts';
import { createWorld, type World } from '../../support/world.ts';

describe('a payment', () => {
  let world: World;
  before(async () => {
    world = await createWorld({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => world.close());

  it('is created, seen, confirmed, converted and settled, and tells each step by a webhook', async () => {
    const receiver = await startReceiver();
    await world
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: receiver.url, enabled: true })
      .expect(200);
    const { body: created } = await world
      .api('post', '/v1/payment')
      .send({ pay_amount: '10.50', order_id: 'o1' })
      .expect(201);
    await world.work();
    await world.api('post', `/v1/sandbox/payments/${created.id}/transfers`).send({}).expect(201);
    await world.work();
    for (let block = 0; block < 13; block += 1) {
      world.advance(1);
      await world.work();
    }
    const { body: settled } = await world.api('get', `/v1/payment/${created.id}`).expect(200);
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
