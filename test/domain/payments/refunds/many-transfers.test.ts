import { expect } from 'chai';
import { methodOf, type Part } from '../../../../src/domain/payments/conversions/plan.ts';
import { leftToRefund } from '../../../../src/domain/payments/refunds/left.ts';
import {
  MOST_TRANSFERS,
  readTransfersToRefund,
} from '../../../../src/domain/payments/refunds/asked/transfers-to-refund.ts';
import { readTransfers } from '../../../../src/domain/payments/transfers/store.ts';
import { groupBy } from '../../../../src/platform/postgres/db.ts';
import { compare, plain, sum } from '../../../../src/platform/values/money.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { copyTransfers, MANY } from '../../../support/many-transfers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

/**
 * Of a hundred one is half converted and half sent back, of ten each one is each of the others. Of two other
 * coins that were converted, that which came first came last as well.
 */
const MIXED = `CASE
  WHEN i IN (8, 9998) THEN '{"coin": "ETH", "converted": 0.01, "conversion": 1}'
  WHEN i = 18 THEN '{"coin": "USDT", "converted": 0.01, "conversion": 1}'
  WHEN i % 1000 = 5 THEN '{"converted": 0.004, "conversion": 1}'
  WHEN i % 1000 = 6 THEN '{"converted": 0.004, "returned": 0.006, "conversion": 1}'
  WHEN i % 10 = 0 THEN '{"converted": 0.01, "conversion": 1}'
  WHEN i % 10 = 1 THEN '{"returned": 0.01}'
  WHEN i % 10 = 2 THEN jsonb_build_object('dropped_at', t.seen_at)
  WHEN i % 10 = 3 THEN '{"confirmed_at": null}'
  WHEN i % 10 = 4 THEN '{"conversion": 2}'
  WHEN i % 10 = 7 THEN jsonb_build_object('coin', 'USDT', 'amount', 0.02, 'sender', 'another')
  ELSE '{}' END`;

describe('a refund of a payment with 20,000 transfers', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  /** A payment whose 3 coins are held, and then so many cents: it is less than the price. */
  const expired = async (columns?: string) => {
    const id = await shop.create();
    await shop.pay(id, { amount: '3' });
    await shop.mine(20);
    harness.advance(86_400);
    await harness.work();
    await copyTransfers(harness, id, columns);
    return id;
  };

  const coinsOf = (held: readonly Part[]) =>
    Object.fromEntries(
      Array.from(
        groupBy(held, ({ transfer }) => methodOf(transfer)),
        ([method, parts]) => [method, plain(sum(parts.map(({ coins }) => coins)))],
      ),
    );

  it('knows what is left of sums, as it would of all of them', async () => {
    const id = await expired(MIXED);
    const payment = await shop.payment(id);
    const all = await readTransfers(harness.ctx.db, [id]);
    expect(all).to.have.lengthOf(MANY + 1);
    const found = await readTransfersToRefund(harness.ctx.db, id);
    expect(found.length).to.be.below(MOST_TRANSFERS + 50);
    for (const [status, settlement_mode] of [
      ['EXPIRED', 'simulated'],
      ['SETTLED', 'simulated'],
      ['SETTLED', 'as_received'],
    ] as const) {
      const stated = { ...payment, status, settlement_mode };
      const [summed, whole] = [found, all].map((some) => leftToRefund(stated, some, []));
      expect(summed?.settled).to.deep.equal(whole?.settled);
      if (settlement_mode === 'as_received')
        expect(whole?.settled.map(({ coin }) => coin)).to.deep.equal(['USDC', 'ETH', 'USDT']);
      expect(coinsOf(summed?.held ?? [])).to.deep.equal(coinsOf(whole?.held ?? []));
      expect(compare(summed?.total ?? '0', whole?.total ?? '1')).to.equal(0);
      expect(Number(whole?.total)).to.be.above(status === 'SETTLED' ? 30 : 80);
    }
  });

  it('sends the largest of them, and each further one the largest of the rest', async () => {
    const id = await expired();
    const body = { address: `0x${'1'.repeat(40)}` };
    const made = await shop.refund(id, body);
    expect(made.coin_amount).to.equal('12.99');
    const parts = () => harness.ctx.db('refund_parts').where({ refund_id: made.id });
    expect(await parts()).to.have.lengthOf(MOST_TRANSFERS);
    expect(await parts().where({ coins: '3' })).to.have.lengthOf(1);
    expect((await shop.refund(id, body)).coin_amount).to.equal('10');
    expect(await harness.ctx.db('refund_parts').select('tx_hash')).to.have.lengthOf(2 * MOST_TRANSFERS);
    expect(await harness.ctx.db('transfers').where('returned', '>', 0)).to.have.lengthOf(2 * MOST_TRANSFERS);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    expect((await shop.refund(id, body)).coin_amount).to.equal('10');
  });

  it('is refused for the amount of all of them, which it does not send', async () => {
    const id = await expired();
    const { body } = await harness
      .api('post', `/v1/payment/${id}/refund`)
      .send({ amount: '203' })
      .expect(409);
    expect((body as { message: string }).message).to.include('more than 1000 transfers');
    expect(await harness.ctx.db('refund_parts').select()).to.deep.equal([]);
  });

  it('is refused where the largest of them together are dust', async () => {
    const id = await expired(`'{"amount": "0.0000005", "credit": "0.0000005"}'`);
    await harness.ctx.db('transfers').where({ payment_id: id, amount: '3' }).update({ returned: '3' });
    await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(409);
  });
});
