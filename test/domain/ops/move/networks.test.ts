import { expect } from 'chai';
import { forgetChain } from '../../../../src/domain/ops/forget-chain.ts';
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
    const order = { merchantId: merchant.id };
    const unread = 'No watcher of the target reads ethereum';
    expect(await refusal(stand.move(order)), 'unread in the source, too').to.include(unread);
    await here.sync();
    expect(await refusal(stand.move(order))).to.include(unread);
    await there.sync();
    source.advance(3_600);
    expect(await refusal(stand.move(order))).to.include(unread);
    target.advance(3_600);
    await there.mine(1);
    await there.sync();
    expect((await stand.move(order)).step).to.equal('arrived');
  });

  it('are those where an exchange takes the money, too: read by the target, and again from the source’s final block', async () => {
    const { source, target } = stand;
    const here = openRealNetwork(source, await openShop(source));
    const there = openRealNetwork(target, await openShop(target));
    const merchant = await here.addMerchant();
    const id = await here.create({}, merchant);
    await source.ctx
      .db('payments')
      .where({ id })
      .update({ wallet_id: null, deposit_index: null, exchange: 'kraken' });
    await here.mine(100);
    await here.sync();
    const order = { merchantId: merchant.id };
    expect(await refusal(stand.move(order))).to.include('No watcher of the target reads ethereum');
    await there.mine(200);
    await there.sync();
    const [read] = await source.ctx
      .db('chain_cursors')
      .where({ chain: 'ethereum/live' })
      .pluck('final_height');
    await stand.move(order);
    const again = await target.ctx
      .db('chain_cursors')
      .where({ chain: 'ethereum/live' })
      .first('cursor', 'scanned_until');
    expect(again).to.deep.equal({ cursor: read, scanned_until: null });
  });

  it('are not those where all has ended, and which the source has forgotten', async () => {
    const { source, target } = stand;
    const here = openRealNetwork(source, await openShop(source));
    const merchant = await here.addMerchant();
    const id = await here.create({}, merchant);
    await here.sync();
    const order = { merchantId: merchant.id };
    const unread = 'No watcher of the target reads ethereum';
    const forget = () => forgetChain(source.ctx, 'ethereum', () => Promise.resolve());
    expect(await forget(), 'it is under way').to.include({ because: 'needed' });
    await source.ctx.db('payments').where({ id }).update({ status: 'EXPIRED' });
    expect(await refusal(stand.move(order)), 'late money is seen').to.include(unread);
    expect(await forget()).to.equal(null);
    const place = { chain: 'ethereum/live', cursor: '7', head: 9, final_height: 8 };
    await target.ctx.db('chain_cursors').insert(place);
    expect((await stand.move(order)).step).to.equal('arrived');
    expect(await target.ctx.db('chain_cursors').where({ chain: place.chain }).pluck('cursor')).to.deep.equal([
      '7',
    ]);
  });
});
