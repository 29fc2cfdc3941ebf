import { expect } from 'chai';
import { expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('the deadline of a payment', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  const sync = () => syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  const expire = (...ids: string[]) => expirePayments(harness.ctx, harness.adapters, ids);

  it('does not expire a payment while money that was seen in time confirms, however long that takes', async () => {
    const id = await shop.create();
    harness.advance(HOUR - 0.001);
    await shop.pay(id);
    await harness.work();
    harness.advance(0.001);
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: [] });
    // Another run of an expiry job that was enqueued before.
    await expire(id);
    await shop.mine(12);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
  });

  it('counts money that the network saw in time, even when it is synced later', async () => {
    const id = await shop.create();
    harness.advance(HOUR - 1);
    await shop.pay(id);
    harness.advance(1);
    await expire(id);
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', fully_funded: true, exceptions: [] });
  });

  it('counts such money on a network that the customer selected later', async () => {
    const id = await shop.create();
    harness.advance(HOUR - 1);
    await shop.pay(id, { coin: 'USDT', network: 'tron' });
    harness.advance(1);
    await expire(id);
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', fully_funded: true, exceptions: [] });
  });

  it('expires a payment for which too little was seen in time', async () => {
    const id = await shop.create();
    harness.advance(HOUR - 1);
    await shop.pay(id, { amount: '1' });
    harness.advance(1);
    await expire(id);
    expect(await shop.payment(id)).to.deep.include({ status: 'EXPIRED', exceptions: ['underpaid'] });
    expect(await shop.story(id)).to.deep.equal(['created WAITING', 'pending PENDING', 'failed EXPIRED']);
  });

  describe('and money that is seen at exactly that time', () => {
    beforeEach(() => harness.work());

    it('is late when it is synced first, and nothing expires', async () => {
      const id = await shop.create();
      harness.advance(HOUR);
      await shop.pay(id);
      await sync();
      await expire(id);
      expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: ['late'] });
      expect(await shop.story(id)).to.deep.equal(['created WAITING', 'pending PENDING']);
    });

    it('is late and honoured when it comes just after the expiry', async () => {
      const id = await shop.create();
      harness.advance(HOUR);
      await expire(id);
      await shop.pay(id);
      await sync();
      expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: ['late'] });
      expect(await shop.story(id)).to.deep.equal(['created WAITING', 'failed EXPIRED', 'pending PENDING']);
    });

    it('ends in exactly one state when both happen at once, 60 times', async () => {
      const ids = await Promise.all(Array.from({ length: 60 }, () => shop.create()));
      harness.advance(HOUR);
      await Promise.all(
        ids.map(async (id) => {
          await Promise.all([shop.pay(id).then(sync), expire(id), expire(id)]);
        }),
      );
      await sync();
      const stories = await Promise.all(ids.map((id) => shop.story(id)));
      for (const story of stories)
        expect(story.join(', ')).to.be.oneOf([
          'created WAITING, pending PENDING',
          'created WAITING, failed EXPIRED, pending PENDING',
        ]);
      for (const id of ids)
        expect(await shop.payment(id)).to.deep.include({
          status: 'PENDING',
          fully_funded: true,
          exceptions: ['late'],
        });
      await shop.mine(12);
      for (const id of ids) expect((await shop.payment(id)).status).to.equal('SETTLED');
    });
  });

  it('of the late window ends it: money seen then, before or after the expiry, no longer pays for the payment', async () => {
    const [before, after] = [await shop.create(), await shop.create()];
    for (const id of [before, after]) {
      await shop.pay(id, { amount: '4' });
    }
    await harness.work();
    harness.advance(HOUR);
    for (const id of [before, after]) await shop.pay(id, { amount: '0.50' });
    await sync();
    harness.advance(DAY - 0.001);
    await harness.work();
    expect((await shop.payment(before)).status).to.equal('PENDING');
    harness.advance(0.001);
    await expire(after);
    for (const id of [before, after]) await shop.pay(id, { amount: '6' });
    await sync();
    await expire(before);
    await shop.mine(12);
    for (const id of [before, after])
      expect(await shop.payment(id)).to.deep.include({
        status: 'EXPIRED',
        amount_received: '10.5',
        fully_funded: false,
        exceptions: ['late'],
      });
  });

  it('expires 1000 payments in one call', async () => {
    const ids = await Promise.all(Array.from({ length: 1000 }, () => shop.create({ expiration_minutes: 5 })));
    const paid = ids.filter((_, i) => i % 100 === 0);
    for (const id of paid) await shop.pay(id);
    harness.advance(300);
    await expire(...ids);
    for (const id of ids)
      expect((await shop.payment(id)).status).to.equal(paid.includes(id) ? 'PENDING' : 'EXPIRED');
  });

  it('is kept to the second, from 5 minutes to a day', async () => {
    for (const minutes of [5, 1440]) {
      const id = await shop.create({ expiration_minutes: minutes });
      harness.advance(minutes * 60 - 1);
      await harness.work();
      expect((await shop.payment(id)).status).to.equal('WAITING');
      harness.advance(1);
      await harness.work();
      expect((await shop.payment(id)).status).to.equal('EXPIRED');
    }
  });
});
