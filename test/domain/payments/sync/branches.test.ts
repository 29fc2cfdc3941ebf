import { expect } from 'chai';
import type { ChainPage, ChainTransfer } from '../../../../src/domain/chain/port.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { simulatedExchange } from '../../../../src/domain/adapters.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a transfer in another branch', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
  });

  /** The next page reports these states, in whatever block its head is. */
  const report = (...transfers: ChainTransfer[]) => real.tell((page: ChainPage) => ({ ...page, transfers }));
  const inBlock = (transfer: ChainTransfer, height: number, hash = `branch at ${height}`): ChainTransfer => ({
    ...transfer,
    block: { height, hash },
  });
  const seen = async (id: string) => {
    const sent = await real.pay(id);
    await real.sync();
    return sent;
  };

  it('that moves another amount is new money, and the old is lost', async () => {
    const id = await real.create();
    const sent = await seen(id);
    report(inBlock(sent, 5));
    await real.sync();
    report({ ...inBlock(sent, 6), amount: '4' });
    await real.sync();
    expect(await shop.payment(id)).to.include({
      status: 'PENDING',
      amount_received: '4',
      fully_funded: false,
    });
    expect((await shop.payment(id)).exceptions).to.deep.equal(['reorged', 'underpaid']);
    report({ ...inBlock(sent, 6), amount: '10.50' });
    await real.sync();
    expect(await shop.payment(id)).to.include({
      status: 'PENDING',
      amount_received: '10.5',
      fully_funded: true,
    });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
    ]);
  });

  it('that moves another amount after its coins were converted is quarantined, and credited by nobody', async () => {
    const id = await real.create();
    const sent = await seen(id);
    const head = await real.mine(1);
    report(inBlock(sent, head));
    await real.sync();
    report();
    await real.mine(12);
    for (let poll = 0; poll < 2; poll += 1) await real.sync();
    await settlePayments(harness.ctx, { exchange: simulatedExchange }, [id]);
    expect(await real.statusOf(id)).to.equal('SETTLED');
    report({ ...inBlock(sent, head + 13), amount: '20' });
    await real.sync();
    expect((await shop.payment(id)).amount_received).to.equal('10.5');
    expect(
      await harness.ctx.db('unapplied_transfers').where({ payment_id: id }).pluck('is_live'),
    ).to.deep.equal([true]);
  });

  it('in another block of the same height was reorganised, and confirms again', async () => {
    const id = await real.create();
    const sent = await seen(id);
    report(inBlock(sent, 5, 'a'));
    await real.sync();
    report(inBlock(sent, 5, 'b'));
    await real.sync();
    expect((await shop.payment(id)).exceptions).to.deep.equal(['reorged']);
    expect(await harness.ctx.db('transfers').where({ payment_id: id }).pluck('block_hash')).to.deep.equal([
      'b',
    ]);
  });

  it('that moves nothing there was not replaced', async () => {
    const id = await real.create();
    const sent = await seen(id);
    const lost = { ...sent, block: null, droppedAt: harness.ctx.now() };
    report({ ...lost, reason: 'reverted' });
    await real.sync();
    expect(await real.statusOf(id)).to.equal('FAILED');
    expect((await shop.payment(id)).exceptions).to.deep.equal(['reorged']);
    expect(await harness.ctx.db('transfers').pluck('drop_reason')).to.deep.equal(['reverted']);
  });

  it('counts again when it comes back after it was dropped', async () => {
    const id = await real.create();
    const sent = await seen(id);
    report({ ...sent, block: null, droppedAt: harness.ctx.now(), reason: 'replaced' });
    await real.sync();
    expect(await real.statusOf(id)).to.equal('FAILED');
    report(inBlock(sent, 7));
    await real.sync();
    expect(await shop.payment(id)).to.include({ status: 'FAILED', amount_received: '10.5' });
    expect((await shop.story(id)).at(-1)).to.equal('funds_received FAILED');
  });

  it('of nothing at all is no money, and the page with it is applied', async () => {
    const id = await real.create();
    const sent = await real.pay(id);
    report({ ...sent, txHash: '0xspam', amount: '0' }, sent);
    await real.sync();
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '10.5' });
    expect(await harness.ctx.db('transfers').where({ payment_id: id })).to.have.length(1);
  });

  it('is what its client is told to look for: in the pool, above a height, and quarantined', async () => {
    const [pooled, mined, quarantined] = [await real.create(), await real.create(), await real.create()];
    const [inPool, inTen, inTwelve] = [
      await real.pay(pooled),
      await real.pay(mined),
      await real.pay(quarantined),
    ];
    report(inPool, inBlock(inTen, 10));
    await real.sync();
    await harness.ctx.db.raw(
      `INSERT INTO unapplied_transfers (payment_id, network, transfers, rates, set_aside_at, is_live)
       VALUES (?, 'ethereum', ?, '{}', ?, true)`,
      [quarantined, JSON.stringify([inBlock(inTwelve, 12)]), harness.ctx.now()],
    );
    const above = async (height: number) =>
      ((await real.watched?.standing('ethereum', height)) ?? []).map(({ txHash }) => txHash);
    expect(await above(9)).to.deep.equal([inPool.txHash, inTen.txHash, inTwelve.txHash]);
    expect(await above(11)).to.deep.equal([inPool.txHash, inTwelve.txHash]);
    expect(await real.watched?.standing('ethereum', 11)).to.deep.include(inPool);
    await harness.ctx.db('unapplied_transfers').del();
  });
});
