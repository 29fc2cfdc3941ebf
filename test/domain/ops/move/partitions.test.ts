import { expect } from 'chai';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { configure } from '../../../support/deliveries.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop } from '../../../support/shop.ts';

const DAY = 86_400;

describe('a week of deliveries that is over while a merchant moves', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let receiver: Receiver;
  beforeEach(async () => {
    stand = await createMoveStand();
    receiver = await startReceiver();
    const { source } = stand;
    await maintainPartitions(source.ctx);
    source.advance(8 * DAY);
    await configure(source, receiver.url);
    await (await openShop(source)).create();
    await source.work();
  });
  afterEach(async () => {
    await receiver.close();
    await stand.close();
  });

  const weeks = () =>
    stand.source.ctx
      .db('deliveries')
      .distinct<{ name: string }[]>(stand.source.ctx.db.raw('tableoid::regclass::text AS name'));

  it('stays in the source until the move has gone on, for the target has it in another partition', async () => {
    const { source } = stand;
    const killed = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
    expect(await refusal(killed)).to.equal('killed');
    source.advance(200 * DAY);
    await maintainPartitions(source.ctx);
    expect(await weeks()).to.deep.equal([{ name: 'deliveries_20260202' }]);
    expect((await stand.move()).step).to.equal('arrived');
    await maintainPartitions(source.ctx);
    expect(await weeks()).to.deep.equal([]);
    const { deliveries, delivery_attempts: attempts } = await measureMerchant(
      stand.target.ctx.db,
      source.merchant.id,
    );
    expect([deliveries?.rows, attempts?.rows]).to.deep.equal([1, 1]);
  });

  it('is dropped as ever where none of a merchant is copied or compared', async () => {
    const { source } = stand;
    await stand.move();
    source.advance(200 * DAY);
    await maintainPartitions(source.ctx);
    expect(await weeks()).to.deep.equal([]);
  });
});
