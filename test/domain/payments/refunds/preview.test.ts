import { expect } from 'chai';
import { previewRefund, requestRefund } from '../../../../src/domain/payments/refunds/request.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { explain } from '../../../support/explain.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const ADDRESS = `0x${'1'.repeat(40)}`;

describe('a preview of a refund', () => {
  let harness: Harness;
  let shop: Shop;
  let id: string;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    id = await shop.create();
    // Held: it is less than the price, and too late for more.
    for (const amount of ['1', '2', '3']) await shop.pay(id, { amount });
    await shop.mine(20);
    harness.advance(86_400);
    await harness.work();
  });
  after(() => harness.close());

  const plansOf = (work: (ctx: Context) => Promise<unknown>) =>
    explain(harness.ctx.db, (tx) => work({ ...harness.ctx, db: tx }));

  it('writes nothing, and locks nothing: anybody may send a payment any number of transfers', async () => {
    const body = { address: ADDRESS };
    const previewed = await plansOf((ctx) => previewRefund(ctx, harness.adapters, shop.caller, id, body));
    const made = await plansOf((ctx) =>
      requestRefund(ctx, harness.adapters, shop.caller, id, { body, claim: null }),
    );
    const writes = /(Insert|Update|Delete) on|LockRows/;
    const reserves = /Insert on refund_parts/;
    expect(
      made.filter((plan) => reserves.test(plan)),
      'a refund reserves its coins',
    ).to.have.lengthOf(2);
    expect(previewed.length).to.be.above(4);
    expect(previewed.filter((plan) => writes.test(plan))).to.deep.equal([]);
  });

  it('shows what the refund is then', async () => {
    const body = { address: ADDRESS };
    const { refunds } = await previewRefund(harness.ctx, harness.adapters, shop.caller, id, body);
    expect(await harness.ctx.db('refunds').select()).to.deep.equal([]);
    const made = await shop.refund(id, body);
    expect(refunds.map(({ coin_amount, coin, address }) => [coin_amount, coin, address])).to.deep.equal([
      [made.coin_amount, made.coin, made.address],
    ]);
    expect(await harness.ctx.db('refund_parts').select()).to.have.lengthOf(3);
  });
});
