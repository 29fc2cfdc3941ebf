import { expect } from 'chai';
import { MAX_TRANSFERS } from '../../../src/domain/sandbox/customer/send-transfer.ts';
import { expectError } from '../../support/http.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the transfers of a payment in the sandbox', () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  after(() => harness.close());

  it(`are at most ${MAX_TRANSFERS}, replacements included: one more is a 400, and is not sent`, async () => {
    const { id } = (
      await harness.api('post', '/v1/payment').send({ pay_amount: '10', order_id: 'o' }).expect(201)
    ).body as { id: string };
    await shop.pay(id, { amount: '1' });
    await harness.work();
    const { address } = await shop.payment(id);
    await harness.ctx.db.raw(
      `INSERT INTO sim_transfers (tx_hash, chain, coin, address, amount, seen_at)
       SELECT 'other ' || n, 'ethereum', 'USDC', ?, 1, ? FROM generate_series(1, ?) n`,
      [address, harness.ctx.now(), MAX_TRANSFERS - 2],
    );
    const sent = () => harness.ctx.db('sim_transfers').count({ count: '*' }).first();
    const post = (path: string, body: object) =>
      harness.api('post', `/v1/sandbox/payments/${id}/${path}`).send(body);
    await post('transfers', { amount: '1' }).expect(201);
    const before_ = await sent();
    for (const answer of [
      await post('transfers', { amount: '1' }),
      await post('replace', { transfer: 1, speed_up: true }),
    ])
      expectError(harness, answer, 400, { field: 'body', constraint: 'maxItems' });
    expect(await sent()).to.deep.equal(before_);
    await post('replace', { transfer: 1 }).expect(200);
  });
});
