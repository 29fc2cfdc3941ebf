import { expect } from 'chai';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openShop } from '../../../support/shop.ts';

/** Longer than rows may be copied, and shorter than the stop of writes is. */
const LATE_MS = 21_000;
/** What is told of rows that are copied while writes are refused. */
const IN_STOP = 'rows copied, ';

describe('a move whose rows take too long', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  beforeEach(async () => {
    stand = await createMoveStand();
    const shop = await openShop(stand.source);
    for (let count = 0; count < 3; count += 1) await shop.create();
  });
  afterEach(async () => {
    Reflect.deleteProperty(performance, 'now');
    await stand.close();
  });

  const isTakenBack = async () => {
    const { source, target } = stand;
    for (const { ctx } of [source, target]) expect(await ctx.db('merchant_moves').select()).to.deep.equal([]);
    expect((await measureMerchant(target.ctx.db, source.merchant.id)).payments?.rows).to.equal(0);
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(201);
  };

  it('ends while they are copied, and does not let writes wait for what it could not decide', async () => {
    const copied: string[] = [];
    const real = performance.now.bind(performance);
    const late = await refusal(
      stand.move({
        onProgress: (_, of) => {
          if (!of.startsWith(IN_STOP)) return;
          copied.push(of);
          performance.now = () => real() + LATE_MS;
        },
      }),
    );
    expect(late).to.include('took too long');
    expect(copied).to.deep.equal(['rows copied, up to merchants,']);
    await isTakenBack();
  });

  it('is not decided where less than the commit may take is left of the stop', async () => {
    const { db } = stand.source.ctx;
    const shorten = () =>
      db.raw(`UPDATE merchant_moves SET stopped_until = clock_timestamp() + interval '9 seconds'`);
    const shortened: Promise<unknown>[] = [];
    const late = await refusal(
      stand.move({
        onProgress: (_, of) => {
          if (of.startsWith(IN_STOP)) shortened.push(shorten().then(() => undefined));
        },
      }),
    );
    await Promise.all(shortened);
    expect(late).to.include('took too long');
    await isTakenBack();
  });
});
