import { expect } from 'chai';
import { lockMerchant } from '../../../../src/domain/merchants/store.ts';
import { countRange } from '../../../../src/domain/webhooks/deliveries/range/count.ts';
import { redeliverRange } from '../../../../src/domain/webhooks/deliveries/range/redeliver-range.ts';
import { configure } from '../../../support/deliveries.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const RANGE = { from_date: '2026-01-01', which: 'all' } as const;

describe('ranges of deliveries that are asked for at once', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await configure(harness, 'http://127.0.0.1:9/hooks');
  });
  afterEach(() => harness.close());

  it('take one connection of a merchant, wait without any, and are refused beyond that', async () => {
    const { ctx, merchant } = harness;
    const replay = () => redeliverRange(ctx, shop.caller, RANGE, null);
    const tx = await ctx.db.transaction();
    await lockMerchant(tx, merchant.id);
    const asked = Array.from({ length: 5 }, replay);
    await untilWaitingForLocks(ctx.db, 1);
    for (const more of [replay, () => countRange(ctx.db, merchant.id, RANGE, ctx.now())]) {
      const refused = await more().catch((error: unknown) => error);
      expect(refused).to.include({ code: 'rate_limited' });
    }
    await tx.commit();
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202]);
  });
});
