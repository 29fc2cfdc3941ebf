import { expect } from 'chai';
import type { ChainOf, ChainPage } from '../../../../src/domain/chain/port.ts';
import { findTransactionByToken } from '../../../../src/domain/checkout/actions/find-transaction.ts';
import { syncChain } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { readPayments } from '../../../../src/domain/payments/lifecycle/store.ts';
import { applyQuarantinedTransfers } from '../../../../src/domain/payments/processing/apply-quarantined.ts';
import { syncChains } from '../../../../src/domain/payments/sync/sync-chains.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { leaseAll } from '../../../support/lease.ts';
import { marketAt } from '../../../support/market.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a network with a client of its own', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
  });

  const headOf = async (chain: string) =>
    Number((await harness.ctx.db('chain_cursors').where({ chain }).first('head'))?.head);
  const tooHigh = (page: ChainPage): ChainPage => ({
    ...page,
    head: { ...page.head, height: page.head.height + 1_000 },
    finalHeight: page.finalHeight + 1_000,
    safeHeight: page.safeHeight + 1_000,
  });

  /** As web sees the network. */
  const withoutProvider = () => {
    const { chain } = real.adapters.live;
    const find = () => Promise.resolve(null);
    const blind: ChainOf = (ctx) => ({ poll: (...asked) => chain(ctx).poll(...asked), find });
    return { ...real.adapters, live: { ...real.adapters.live, chain: blind } };
  };

  it('confirms nothing by a head that is 1,000 too high once, or every other time, and corrects it', async () => {
    const id = await real.create();
    await real.pay(id);
    const height = await real.mine(1);
    await real.sync();
    for (let round = 0; round < 3; round += 1) {
      real.tell(tooHigh);
      await real.sync();
      expect(await real.statusOf(id)).to.equal('PENDING');
      real.tell((page) => page);
      await real.sync();
      expect([await real.statusOf(id), await headOf('ethereum/live')]).to.deep.equal(['PENDING', height]);
    }
    await real.mine(12);
    await real.sync();
    await real.sync();
    expect(await real.statusOf(id)).to.equal('PROCESSING');
  });

  it('shares no cursor, no head and no confirmation with the simulated one', async () => {
    const [live, test] = [await real.create(), await shop.create()];
    for (const id of [live, test]) await real.pay(id);
    await real.mine(1);
    await real.sync();
    await syncNetwork(harness.ctx, real.adapters, 'ethereum');
    const height = await headOf('ethereum');
    real.tell(tooHigh);
    for (let poll = 0; poll < 2; poll += 1) await real.sync();
    await syncNetwork(harness.ctx, real.adapters, 'ethereum');
    expect([await headOf('ethereum/live'), await headOf('ethereum')]).to.deep.equal([height + 1_000, height]);
    expect([await real.statusOf(live), await real.statusOf(test)]).to.deep.equal(['PROCESSING', 'PENDING']);
    expect((await readPayments(harness.ctx.db, [test]))[0]?.confirmations).to.equal(1);
  });

  it('is asked again when its client says, and confirms nothing until then', async () => {
    const id = await real.create();
    await real.pay(id);
    await real.mine(1);
    await real.sync();
    await real.mine(12);
    real.tell((page) => ({ ...page, next: { waitSeconds: 30, why: 'behind' } }));
    await real.sync();
    harness.advance(1);
    const { db, now } = harness.ctx;
    await leaseAll(db, now(), addSeconds(now(), 30), new Set([syncChain.name]));
    const { live, testChain } = real.adapters;
    await syncChains(harness.ctx, { ...live, testChain }, ['ethereum']);
    expect(await real.statusOf(id)).to.equal('PENDING');
    const job = await harness.ctx
      .db('scheduled_jobs')
      .where({ job: syncChain.name, key: 'ethereum' })
      .first();
    expect(job?.run_at).to.deep.equal(addSeconds(harness.ctx.now(), 30));
  });

  it('tells its client which addresses are of its payments', async () => {
    const id = await real.create();
    const { address: own } = await shop.payment(id);
    await real.sync();
    const other = shop.chain.derive('ethereum', { id: 'pay_other' });
    const owned = await real.watched?.own('ethereum', [own, other]);
    expect([owned?.has(own), owned?.has(other), owned?.size]).to.deep.equal([true, false, 1]);
  });

  it('is asked for a transaction that a customer names', async () => {
    const id = await real.create();
    const { txHash } = await real.pay(id);
    const [payment] = await readPayments(harness.ctx.db, [id]);
    const found = await findTransactionByToken(harness.ctx, real.adapters, payment?.token_id ?? '', txHash);
    expect(found?.result).to.equal('seen');
    expect(await real.statusOf(id)).to.equal('PENDING');
  });

  it('is not asked where no provider is known: the page says what follows from what was read', async () => {
    const [id, other] = [await real.create(), await real.create()];
    const { txHash } = await real.pay(other);
    await real.sync();
    const adapters = withoutProvider();
    const { token_id } = await shop.payment(id);
    const look = async (hash: string) =>
      (await findTransactionByToken(harness.ctx, adapters, token_id, hash))?.result;
    const unknown = `0x${'ab'.repeat(32)}`;
    // Not that it pays another: a link would tell by which transactions all payments of the service are paid.
    expect([await look(txHash), await look(unknown)]).to.deep.equal(['unseen', 'unseen']);
    harness.advance(120);
    expect(await look(unknown), 'what came since is not read').to.equal('unable');
    expect(await look((await real.pay(id)).txHash), 'not read either').to.equal('unable');
    await real.sync();
    const [sent] = (await readPayments(harness.ctx.db, [id])).map(({ tx_hash }) => tx_hash);
    expect(await look(sent ?? '')).to.equal('counted');
  });

  it('says of a transaction of the payment itself that it counts, or was dropped, also where the page shows it not', async () => {
    const id = await real.create();
    const { token_id } = await shop.payment(id);
    const hashes: string[] = [];
    for (let part = 0; part < 7; part += 1) hashes.push((await real.pay(id, { amount: '1' })).txHash);
    await real.sync();
    const [first = '', ...others] = hashes;
    const last = others.at(-1) ?? '';
    await shop.chain.replace(first, harness.ctx.now());
    await real.sync();
    const adapters = withoutProvider();
    const look = async (hash: string) =>
      (await findTransactionByToken(harness.ctx, adapters, token_id, hash))?.result;
    expect([await look(last), await look(first)]).to.deep.equal(['counted', 'dropped']);
  });

  it('without market rates goes on with money at par, and quarantines what needs a rate until there is one', async () => {
    const [atPar, inEth] = [await shop.create(), await shop.create()];
    await real.pay(atPar);
    await shop.send(inEth, { network: 'ethereum', coin: 'ETH', amount: '0.01' });
    await real.mine(12);
    const away = { ...harness.adapters, rates: marketAt(() => ({})) };
    await syncNetwork(harness.ctx, away, 'ethereum');
    expect(await real.statusOf(atPar)).to.equal('PROCESSING');
    expect(await real.statusOf(inEth)).to.equal('WAITING');
    await applyQuarantinedTransfers(harness.ctx, harness.adapters, [inEth]);
    expect(await real.statusOf(inEth)).to.not.equal('WAITING');
    expect((await shop.payment(inEth)).amount_received).to.not.equal('0');
  });
});
