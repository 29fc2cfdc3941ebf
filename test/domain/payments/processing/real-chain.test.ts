import { expect } from 'chai';
import { createAdapters, type Adapters } from '../../../../src/domain/adapters.ts';
import type { ChainPage, Watch } from '../../../../src/domain/chain/port.ts';
import { simulatedChain, simulatedPayouts } from '../../../../src/domain/chain/simulator/simulated.ts';
import { findTransactionByToken } from '../../../../src/domain/checkout/actions/find-transaction.ts';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { createPayment } from '../../../../src/domain/payments/create.ts';
import { syncChain } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { readPayments } from '../../../../src/domain/payments/lifecycle/store.ts';
import { applyQuarantinedTransfers } from '../../../../src/domain/payments/processing/apply-quarantined.ts';
import { syncChains } from '../../../../src/domain/payments/processing/sync-chains.ts';
import { syncNetwork } from '../../../../src/domain/payments/processing/sync-network.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { leaseAll } from '../../../support/lease.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a network with a client of its own', () => {
  let harness: Harness;
  let shop: Shop;
  let adapters: Adapters;
  let watched: Watch | null;
  /** What the client's node makes of a page. */
  let altered: (page: ChainPage) => ChainPage;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    altered = (page) => page;
    watched = null;
    const config = { ...harness.ctx.config, simulateLive: false };
    const chain: typeof simulatedChain = (ctx) => ({
      ...simulatedChain(ctx),
      async poll(network, cursor, watch, now) {
        watched = watch;
        return altered(await simulatedChain(ctx).poll(network, cursor, watch, now));
      },
    });
    adapters = createAdapters(config, { ethereum: { chain, payouts: simulatedPayouts } });
  });

  const sync = () => syncNetwork(harness.ctx, adapters.live, 'ethereum');
  const mine = (blocks: number) => shop.chain.mine('ethereum', blocks, harness.ctx.now());
  const head = async () =>
    Number((await harness.ctx.db('chain_cursors').where({ chain: 'ethereum' }).first('head'))?.head);
  async function createLive(): Promise<string> {
    const { apiKey } = await harness.addMerchant({ mode: 'live' });
    const caller = await findCaller(harness.ctx.db, hashApiKey(apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const body = { pay_amount: '10.50', order_id: 'order-1' };
    const { text } = await createPayment(harness.ctx, adapters, caller, body, null);
    return (JSON.parse(text) as { id: string }).id;
  }
  const pay = (id: string) => shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '10.50' });
  const statusOf = async (id: string) => (await readPayments(harness.ctx.db, [id]))[0]?.status;
  const tooHigh = (page: ChainPage): ChainPage => ({
    ...page,
    head: page.head + 1_000,
    finalHeight: page.finalHeight + 1_000,
  });

  it('confirms nothing by a head that is 1,000 too high once, or every other time, and corrects it', async () => {
    const id = await createLive();
    await pay(id);
    const height = await mine(1);
    await sync();
    for (let round = 0; round < 3; round += 1) {
      altered = tooHigh;
      await sync();
      expect(await statusOf(id)).to.equal('PENDING');
      altered = (page) => page;
      await sync();
      expect([await statusOf(id), await head()]).to.deep.equal(['PENDING', height]);
    }
    await mine(12);
    await sync();
    await sync();
    expect(await statusOf(id)).to.equal('PROCESSING');
  });

  it('is asked again when its client says, and confirms nothing until then', async () => {
    const id = await createLive();
    await pay(id);
    await mine(1);
    await sync();
    await mine(12);
    altered = (page) => ({ ...page, next: { waitSeconds: 30, why: 'behind' } });
    await sync();
    harness.advance(1);
    const { db, now } = harness.ctx;
    await leaseAll(db, now(), addSeconds(now(), 30), new Set([syncChain.name]));
    await syncChains(harness.ctx, adapters.live, ['ethereum']);
    expect(await statusOf(id)).to.equal('PENDING');
    const job = await harness.ctx
      .db('scheduled_jobs')
      .where({ job: syncChain.name, key: 'ethereum' })
      .first();
    expect(job?.run_at).to.deep.equal(addSeconds(harness.ctx.now(), 30));
  });

  it('tells its client which addresses are of its payments', async () => {
    const id = await createLive();
    const own = shop.chain.depositAddress('ethereum', id);
    await sync();
    expect(
      await watched?.own('ethereum', [own, shop.chain.depositAddress('ethereum', 'pay_other')]),
    ).to.deep.equal(new Set([own]));
  });

  it('is asked for a transaction that a customer names', async () => {
    const id = await createLive();
    const { txHash } = await pay(id);
    const [payment] = await readPayments(harness.ctx.db, [id]);
    const found = await findTransactionByToken(harness.ctx, adapters, payment?.token_id ?? '', txHash);
    expect(found?.result).to.equal('seen');
    expect(await statusOf(id)).to.equal('PENDING');
  });

  it('without market rates goes on with money at par, and quarantines what needs a rate until there is one', async () => {
    const [atPar, inEth] = [await shop.create(), await shop.create()];
    await pay(atPar);
    await shop.send(inEth, { network: 'ethereum', coin: 'ETH', amount: '0.01' });
    await mine(12);
    const away = { ...harness.adapters, rates: () => Promise.reject(new Error('no prices')) };
    await syncNetwork(harness.ctx, away, 'ethereum');
    expect(await statusOf(atPar)).to.equal('PROCESSING');
    expect(await statusOf(inEth)).to.equal('WAITING');
    await applyQuarantinedTransfers(harness.ctx, harness.adapters, [inEth]);
    expect(await statusOf(inEth)).to.not.equal('WAITING');
    expect((await shop.payment(inEth)).amount_received).to.not.equal('0');
  });
});
