import { expect } from 'chai';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { openShop } from '../../../support/shop.ts';

describe('the networks of a merchant that moves', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  beforeEach(async () => {
    stand = await createMoveStand();
  });
  afterEach(() => stand.close());

  it('are read in the target by a watcher of now: what one has read long ago refuses the move', async () => {
    const { source, target } = stand;
    const here = openRealNetwork(source, await openShop(source));
    const there = openRealNetwork(target, await openShop(target));
    const merchant = await here.addMerchant();
    await here.create({}, merchant);
    await here.sync();
    const order = { merchantId: merchant.id };
    const unread = 'No watcher of the target reads ethereum';
    expect(await refusal(stand.move(order))).to.include(unread);
    await there.sync();
    source.advance(3_600);
    expect(await refusal(stand.move(order))).to.include(unread);
    target.advance(3_600);
    await there.mine(1);
    await there.sync();
    expect((await stand.move(order)).step).to.equal('arrived');
  });
});
