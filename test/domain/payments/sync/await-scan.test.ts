import { expect } from 'chai';
import { createAdapters } from '../../../../src/domain/adapters.ts';
import { expirePayment, requotePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { endHoldsOf, expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { declareChain } from '../../../../src/domain/payments/sync/cursor.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { leaseOf } from '../../../support/lease.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a deadline on a real network', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
  });

  const HOUR = 3_600;
  const expire = async (...ids: string[]) => {
    await leaseOf(harness.ctx, expirePayment);
    await expirePayments(harness.ctx, real.adapters.live, ids);
  };
  const job = (name: string, key: string) =>
    harness.ctx.db('scheduled_jobs').where({ job: name, key }).first();
  /** The client has read so many seconds less than there are. */
  const lagging = (seconds: number) =>
    real.tell((page) => ({ ...page, scannedUntil: addSeconds(harness.ctx.now(), -seconds), transfers: [] }));

  it('does not pass before the network is read up to it, and the job waits as long as the scan is behind', async () => {
    const id = await real.create();
    await real.sync();
    harness.advance(HOUR + 20);
    lagging(30);
    await real.sync();
    await expire(id);
    expect(await real.statusOf(id)).to.equal('WAITING');
    const waiting = await job(expirePayment.name, id);
    expect(waiting?.run_at).to.deep.equal(addSeconds(harness.ctx.now(), 15));
    lagging(19);
    await real.sync();
    await expire(id);
    expect(await real.statusOf(id)).to.equal('EXPIRED');
  });

  it('does not pass on a network that is not read yet, or has halted', async () => {
    const id = await real.create();
    await declareChain(harness.ctx.db, 'ethereum/live');
    harness.advance(2 * HOUR);
    await expire(id);
    expect(await real.statusOf(id)).to.equal('WAITING');
    await real.sync();
    await harness.ctx
      .db('chain_cursors')
      .where({ chain: 'ethereum/live' })
      .update({ halted_at: harness.ctx.now() });
    await expire(id);
    expect(await real.statusOf(id)).to.equal('WAITING');
  });

  it('does not depend on what the process knows of networks: at its start it knows none', async () => {
    const id = await real.create();
    await real.sync();
    harness.advance(2 * HOUR);
    const { live } = createAdapters({ ...harness.ctx.config, simulateLive: false });
    expect(live.networks).to.deep.equal([]);
    await expirePayments(harness.ctx, live, [id]);
    expect(await real.statusOf(id)).to.equal('WAITING');
  });

  it('finds money that was seen in time by a network that was away over it', async () => {
    const id = await real.create();
    await real.sync();
    await real.pay(id);
    harness.advance(3 * HOUR);
    await expire(id);
    expect(await real.statusOf(id)).to.equal('WAITING');
    await real.sync();
    await expire(id);
    expect(await real.statusOf(id)).to.equal('PENDING');
    expect((await shop.payment(id)).exceptions).to.deep.equal([]);
  });

  it('holds what is unmined until the network is read up to the end of the hold', async () => {
    const id = await real.create();
    await real.pay(id);
    await real.sync();
    harness.advance(HOUR / 2 + 20);
    lagging(30);
    await real.sync();
    await endHoldsOf(harness.ctx, real.adapters.live, [id]);
    expect((await shop.payment(id)).fully_funded).to.equal(true);
    lagging(10);
    await real.sync();
    await endHoldsOf(harness.ctx, real.adapters.live, [id]);
    expect((await shop.payment(id)).fully_funded).to.equal(false);
  });

  it('puts off those alone whose network is behind', async () => {
    const [live, test] = [await real.create(), await shop.create()];
    await real.sync();
    harness.advance(HOUR);
    await expirePayments(harness.ctx, real.adapters, [test]);
    await expire(live);
    expect([await real.statusOf(live), await real.statusOf(test)]).to.deep.equal(['WAITING', 'EXPIRED']);
    expect(await job(requotePayment.name, live)).to.equal(undefined);
  });
});
