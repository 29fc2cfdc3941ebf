import { expect } from 'chai';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import type { Harness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openShop } from '../../../support/shop.ts';
import { until } from '../../../support/until.ts';
import { addWallet } from '../../../support/wallets.ts';

interface Obstacle {
  readonly why: string;
  /** Puts it in the way of a merchant with this payment, which has a refund to be sent. */
  readonly put: (harness: Harness, paymentId: string) => Promise<unknown>;
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  'a refund is offered to the signer of the source': {
    why: '1 refunds were offered to the signer of this cell',
    put: ({ ctx }, paymentId) =>
      ctx.db('refunds').where({ payment_id: paymentId }).update({ offered_at: ctx.now() }),
  },
  'a payment takes money at a wallet of the cell': {
    why: '1 payments take money at a wallet of the cell',
    put: async ({ ctx }, paymentId) => {
      const { id } = await addWallet(ctx, null);
      await ctx.db('payments').where({ id: paymentId }).update({ wallet_id: id, deposit_index: 0 });
    },
  },
  'a report of a simulated chain waits to be applied': {
    why: '1 reports of simulated chains wait to be applied',
    put: ({ ctx }, paymentId) =>
      ctx.db('unapplied_transfers').insert({
        payment_id: paymentId,
        network: 'ethereum',
        transfers: '[]',
        rates: 'null',
        set_aside_at: ctx.now(),
      }),
  },
  'a flush is under way': {
    why: '1 flushes are under way',
    put: ({ ctx }, paymentId) =>
      ctx.db('flushes').insert({
        tx_hash: `0x${'ab'.repeat(32)}`,
        network: 'ethereum',
        account: `0x${'cd'.repeat(20)}`,
        nonce: 0,
        raw: Buffer.from('00', 'hex'),
        payment_ids: [paymentId],
        usd: '10.50',
        sent_at: ctx.now(),
      }),
  },
};

describe('what must be over before a merchant leaves its cell', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let paid: string;
  let open: string;
  beforeEach(async () => {
    stand = await createMoveStand();
    const shop = await openShop(stand.source);
    paid = await shop.create();
    await shop.pay(paid);
    await stand.source.work();
    await shop.mine(12);
    await shop.refund(paid, { amount: '1' });
    open = await shop.create();
  });
  afterEach(() => stand.close());

  const jobsOf = (key: string) => stand.source.ctx.db('scheduled_jobs').whereLike('key', `${key}%`);
  const inAnHour = () => stand.source.ctx.db.raw(`clock_timestamp() + interval '1 hour'`);
  /** The merchant is in the source alone, which takes their writes. */
  const isTakenBack = async () => {
    const { source, target } = stand;
    for (const { ctx } of [source, target]) expect(await ctx.db('merchant_moves').select()).to.deep.equal([]);
    expect((await measureMerchant(target.ctx.db, source.merchant.id)).payments?.rows).to.equal(0);
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(201);
  };

  for (const [obstacle, { why, put }] of Object.entries(OBSTACLES)) {
    it(`refuses the move where ${obstacle}, before anybody hears of it`, async () => {
      await put(stand.source, paid);
      const announced: string[] = [];
      const told = await refusal(stand.move({ announce: async () => void announced.push('announced') }));
      expect(told).to.include(why);
      expect(announced).to.deep.equal([]);
      await isTakenBack();
    });

    it(`takes the move back where ${obstacle} only while its jobs come to rest`, async () => {
      expect(await jobsOf(open).update({ leased_by: 'a worker', visible_at: inAnHour() })).to.be.above(0);
      const due = new Date(0);
      expect(await jobsOf('ref_').update({ visible_at: due })).to.be.above(0);
      const moving = refusal(stand.move());
      await until(
        'jobs are held',
        async () => (await jobsOf('ref_').where({ visible_at: due })).length === 0,
      );
      await put(stand.source, paid);
      await jobsOf(open).update({ leased_by: null });
      expect(await moving).to.include(why);
      await isTakenBack();
    });
  }
});
