import { expect } from 'chai';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { sendRefunds } from '../../../../src/domain/payments/refunds/send.ts';
import { readTransfers } from '../../../../src/domain/payments/transfers/store.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { compare, sum } from '../../../../src/platform/values/money.ts';
import { ApiError } from '../../../../src/domain/api/errors.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const HOUR = 3_600;
const CONFIRMATIONS = 12;
const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('a refund', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  const pay = async (id: string, amount?: string) => {
    await shop.pay(id, amount === undefined ? {} : { amount });
    await harness.work();
    await shop.mine(CONFIRMATIONS);
  };
  const settled = async () => {
    const id = await shop.create();
    await pay(id);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    return id;
  };
  const refunds = (id: string) =>
    run(
      harness.ctx.db,
      sql<{ id: string; status: string; amount: string; tx_hash: string | null; completed_at: Date | null }>(
        'test_refunds',
        'SELECT * FROM refunds WHERE payment_id = $1 ORDER BY created_at, id',
      ),
      [id],
    );

  it('whose payout is only accepted waits for a signature: the chain completes it, and no answer does', async () => {
    const id = await settled();
    const { id: refundId } = await shop.refund(id);
    const payouts = { request: () => Promise.resolve('accepted' as const) };
    for (let run = 0; run < 2; run += 1) await sendRefunds(harness.ctx, { payouts }, [refundId]);
    expect((await refunds(id))[0]).to.include({ status: 'AWAITING_SIGNATURE', completed_at: null });
    await sendRefunds(harness.ctx, harness.adapters, [refundId]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_refunded: '0' });
  });

  it('that is withdrawn lets what is unmined of its coins hold no rate and deadline for ever', async () => {
    const { ctx } = harness;
    const id = await shop.create();
    await pay(id, '6');
    harness.advance(2 * HOUR);
    await harness.work();
    await shop.refund(id);
    const { tx_hash } = await shop.payment(id);
    await shop.chain.reorganise('ethereum', 2 * HOUR, ctx.now());
    const sped = await shop.chain.speedUp(tx_hash ?? '', ctx.now());
    await ctx.db('sim_transfers').where({ tx_hash: sped?.replacedBy }).update({ amount: '3' });
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    const holds = () => ctx.db('scheduled_jobs').where({ key: id, job: 'payment.end-holds' });
    expect(await holds(), 'its coins are committed to the refund').to.deep.equal([]);
    await harness.work();
    expect(await refunds(id)).to.deep.equal([]);
    expect(await holds()).to.have.length(1);
  });

  it('in full: everything is sent back, the payment is REFUNDED and its event has the amount', async () => {
    const id = await settled();
    const { settled_at } = await shop.payment(id);
    const refund = await shop.refund(id, { reason: 'out of stock' });
    expect(refund).to.deep.equal({
      id: refund.id,
      payment_id: id,
      amount: '10.50',
      currency: 'USDC',
      status: 'PENDING',
      created_at: harness.ctx.now().toISOString(),
      coin: 'USDC',
      network: 'ethereum',
      coin_amount: '10.50',
      address: refund.address,
      tx_hash: null,
      reason: 'out of stock',
    });
    const [transfer] = await readTransfers(harness.ctx.db, [id]);
    expect(refund.address).to.be.a('string').and.equal(transfer?.sender);
    expect(refund.id).to.match(/^ref_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    harness.advance(1);
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({
      status: 'REFUNDED',
      amount_refunded: '10.5',
      settled_at,
    });
    const [row] = await refunds(id);
    expect(row).to.deep.include({ status: 'COMPLETED', completed_at: harness.ctx.now() });
    expect(row?.tx_hash).to.match(/^0x[0-9a-f]{64}$/);
    expect((await shop.events(id)).at(-1)?.data.refund).to.deep.equal({
      id: refund.id,
      amount: '10.50',
      currency: 'USDC',
      reason: 'out of stock',
      coin: 'USDC',
      network: 'ethereum',
      coinAmount: '10.50',
      address: refund.address,
      txHash: row?.tx_hash,
    });
  });

  it('in part, twice, then the rest: SETTLED until the whole amount is refunded', async () => {
    const id = await settled();
    for (const amount of ['3', '0.001001']) {
      expect(await shop.refund(id, { amount })).to.include({ amount });
      await harness.work();
      expect((await shop.payment(id)).status).to.equal('SETTLED');
    }
    expect(await shop.refund(id)).to.include({ amount: '7.498999' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
    expect((await shop.story(id)).slice(-3)).to.deep.equal([
      'refunded SETTLED',
      'refunded SETTLED',
      'refunded REFUNDED',
    ]);
    expect((await shop.events(id)).slice(-3).map(({ data }) => data.refund?.amount)).to.deep.equal([
      '3',
      '0.001001',
      '7.498999',
    ]);
  });

  it('of a part that the settlement coin cannot express, or not above its dust limit, is a 400 on amount', async () => {
    const id = await settled();
    for (const [amount, constraint] of [
      ['1.0000001', 'multipleOf'],
      ['0.001', 'exclusiveMinimum'],
      ['0.000001', 'exclusiveMinimum'],
    ] as const)
      expect(await refusal(shop.refund(id, { amount })), amount).to.deep.equal([
        400,
        { field: 'amount', constraint },
      ]);
    expect(await refunds(id)).to.deep.equal([]);
  });

  it('of more than is left is a 400 on amount, pending refunds included', async () => {
    const id = await settled();
    expect(await refusal(shop.refund(id, { amount: '10.500000000000000001' }))).to.deep.equal([
      400,
      { field: 'amount', constraint: 'maximum' },
    ]);
    await shop.refund(id, { amount: '10' });
    expect(await refusal(shop.refund(id, { amount: '0.51' }))).to.deep.equal([
      400,
      { field: 'amount', constraint: 'maximum' },
    ]);
    await shop.refund(id, { amount: '0.5' });
    expect(await refusal(shop.refund(id))).to.deep.equal([409, undefined]);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', sequence: 6 });
  });

  it('of a payment whose status does not allow it is a 409, and stores nothing', async () => {
    const refunded = await settled();
    await shop.refund(refunded);
    await harness.work();
    const expired = await shop.create({ expiration_minutes: 5 });
    harness.advance(300);
    await harness.work();
    const waiting = await shop.create();
    const pending = await shop.create();
    await shop.pay(pending);
    await harness.work();
    for (const id of [waiting, pending, refunded, expired])
      expect(await refusal(shop.refund(id))).to.deep.equal([409, undefined]);
    for (const id of [waiting, pending, expired]) expect(await refunds(id)).to.deep.equal([]);
  });

  it('of an expired payment is accepted in full only', async () => {
    const id = await shop.create();
    await pay(id, '4');
    harness.advance(HOUR);
    await harness.work();
    expect(await refusal(shop.refund(id, { amount: '1' }))).to.deep.equal([409, undefined]);
    expect(await shop.refund(id, { amount: '4' })).to.include({ amount: '4' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '4' });
  });

  it('of unconfirmed money is a 409', async () => {
    const id = await shop.create();
    harness.advance(HOUR - 900);
    await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.0001' });
    harness.advance(900);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '6' });
    expect(await refusal(shop.refund(id))).to.deep.equal([409, undefined]);
    await shop.mine(1, 'bitcoin');
    expect(await refusal(shop.refund(id))).to.deep.equal([409, undefined]);
    await shop.mine(1, 'bitcoin');
    expect(await shop.refund(id)).to.include({ amount: '6' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '6' });
  });

  it('three at once that exceed the payment together: never more than was received, 20 times', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => shop.create()));
    for (const id of ids) await shop.pay(id);
    await harness.work();
    await shop.mine(CONFIRMATIONS);
    for (const id of ids) {
      const asked = await Promise.allSettled(
        [{ amount: '6' }, { amount: '5' }, {}].map((body) => shop.refund(id, body)),
      );
      // A request for the rest is accepted, whatever was refunded before.
      const taken = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.amount] : []));
      expect(compare(sum(taken), '10.50'), taken.join(' + ')).to.equal(0);
    }
    await harness.work();
    for (const id of ids) expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });

  it('of all confirmed money, while more is unconfirmed, leaves the payment open for the rest', async () => {
    const id = await settled();
    await shop.pay(id, { amount: '2' });
    await harness.work();
    expect(await shop.refund(id)).to.include({ amount: '10.50' });
    await harness.work();
    expect(await shop.payment(id)).to.include({
      status: 'SETTLED',
      amount_received: '12.5',
      amount_refunded: '10.5',
    });
    await shop.mine(CONFIRMATIONS);
    expect(await shop.refund(id)).to.include({ amount: '2' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '12.5' });
  });

  it('of everything, that is sent while its block is replaced, is a refund of everything', async () => {
    const id = await settled();
    const { id: refund } = await shop.refund(id);
    await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    await sendRefunds(harness.ctx, harness.adapters, [refund]);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
  });

  it('sent by two workers at once is sent, reported and counted once', async () => {
    const id = await settled();
    const [first, second] = [await shop.refund(id, { amount: '4' }), await shop.refund(id, { amount: '5' })];
    const both = [first.id, second.id];
    await Promise.all([
      sendRefunds(harness.ctx, harness.adapters, both),
      sendRefunds(harness.ctx, harness.adapters, both.toReversed()),
      sendRefunds(harness.ctx, harness.adapters, both),
    ]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_refunded: '9', sequence: 6 });
  });

  it('pending while late money comes: the money does not pay, is reported, and can be sent back as well', async () => {
    const id = await shop.create();
    await pay(id, '5.50');
    harness.advance(HOUR);
    await harness.work();
    expect((await shop.refund(id)).amount).to.equal('5.5');
    // 5.50 and 5 are the price, but the refund of 5.50 is pending.
    await shop.pay(id, { amount: '5' });
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    expect(await shop.payment(id)).to.deep.include({
      status: 'EXPIRED',
      fully_funded: false,
      amount_received: '10.5',
      exceptions: ['late'],
    });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '5.5' });
    expect(await refusal(shop.refund(id))).to.deep.equal([409, undefined]);
    await shop.mine(CONFIRMATIONS);
    expect(await refusal(shop.refund(id, { amount: '1' }))).to.deep.equal([409, undefined]);
    expect(await shop.refund(id)).to.include({ amount: '5' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'failed EXPIRED',
      'funds_received EXPIRED',
      'refunded REFUNDED',
      'refunded REFUNDED',
    ]);
  });

  it('that waits for an address while late money comes: the money does not pay for the payment', async () => {
    const id = await shop.create();
    for (const sender of [MINE, ANOTHER]) {
      await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '2.75', sender });
      await harness.work();
    }
    await shop.mine(CONFIRMATIONS);
    harness.advance(HOUR);
    await harness.work();
    expect(await shop.refund(id)).to.include({ amount: '5.5', status: 'NEEDS_ADDRESS', address: null });
    await shop.pay(id, { amount: '5' });
    await harness.work();
    await shop.mine(CONFIRMATIONS);
    expect(await shop.payment(id)).to.include({
      status: 'EXPIRED',
      fully_funded: false,
      amount_refunded: '0',
    });
    expect((await shop.story(id)).at(-1)).to.equal('funds_received EXPIRED');
    expect((await refunds(id)).map(({ status }) => status)).to.deep.equal(['NEEDS_ADDRESS']);
  });
});

/** Returns status and details of the error with which a promise is rejected. */
async function refusal(promise: Promise<unknown>): Promise<[number, unknown] | string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof ApiError ? [error.status, error.details] : String(error)),
  );
}
