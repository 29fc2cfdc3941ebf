import { expect } from 'chai';
import winston from 'winston';
import { reconcileOnce } from '../../../../src/domain/ops/reconcile.ts';
import { listStuck, releaseParked } from '../../../../src/domain/ops/stuck.ts';
import { sendRefund, settlePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { sendRefunds } from '../../../../src/domain/payments/refunds/send.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';
import { failUntilStuck } from '../../../support/stuck.ts';

const ALL = { job: null, key: null };

describe('money whose job is parked', () => {
  let harness: Harness;
  let shop: Shop;
  let ctx: Context;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    ctx = { ...harness.ctx, log: winston.createLogger({ silent: true }) };
  });

  /** Only released jobs run: reconciling restores none. */
  const staysParked = async (job: string) => {
    expect(await reconcileOnce(ctx)).to.equal(0);
    await harness.work();
    expect((await listStuck(ctx.db, ALL)).map((one) => one.job)).to.deep.equal([job]);
  };

  it('is converted once, when the job is released', async () => {
    const id = await shop.create();
    await shop.pay(id);
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    await shop.chain.mine('ethereum', 12, ctx.now());
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    let asked = 0;
    const exchange = {
      convert: () => {
        asked += 1;
        return Promise.reject(new Error('away'));
      },
    };
    await failUntilStuck(harness, ctx, {
      job: settlePayment,
      handle: (own, keys) => settlePayments(own, { exchange }, keys),
    });
    expect(asked).to.equal(30);
    await staysParked(settlePayment.name);
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    await releaseParked(ctx.db, ALL);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    expect(await ctx.db('conversions').where({ payment_id: id }).pluck('status')).to.deep.equal([
      'CONVERTED',
    ]);
  });

  it('is sent back once, when the job is released', async () => {
    const id = await shop.create();
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    await shop.refund(id, { amount: '4' });
    const payouts = { request: () => Promise.reject(new Error('away')) };
    await failUntilStuck(harness, ctx, {
      job: sendRefund,
      handle: (own, keys) => sendRefunds(own, { ...harness.adapters, payouts }, keys),
    });
    await staysParked(sendRefund.name);
    expect((await shop.payment(id)).amount_refunded).to.equal('0');
    await releaseParked(ctx.db, ALL);
    await harness.work();
    expect((await shop.payment(id)).amount_refunded).to.equal('4');
    expect(await ctx.db('refunds').where({ payment_id: id }).pluck('status')).to.deep.equal(['COMPLETED']);
  });
});
