import { expect } from 'chai';
import { ChainHalted } from '../../../../src/domain/chain/port.ts';
import { networksCheck } from '../../../../src/domain/ops/health/networks.ts';
import { openSurvey } from '../../../../src/domain/ops/survey/survey.ts';
import { simulatedChain } from '../../../../src/domain/chain/simulator/simulated.ts';
import { rescanChain, resumeChain, readLiveChains } from '../../../../src/domain/ops/chains.ts';
import { settlePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { unlessHalted } from '../../../../src/domain/payments/processing/unless-halted.ts';
import {
  newWatchState,
  watchOnce,
  type WatchState,
} from '../../../../src/domain/payments/sync/watch-network.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { MerchantRefunds } from '../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';
import { TREASURY } from '../../../support/wallets.ts';
import { leaseOf } from '../../../support/lease.ts';

describe('the watcher of a network', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let leads: boolean;
  let state: WatchState;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
    leads = true;
    state = newWatchState();
  });

  const leadership = { hold: () => Promise.resolve(leads), end: () => Promise.resolve() };
  const watch = () =>
    watchOnce(harness.ctx, { network: 'ethereum', adapters: real.adapters.live, leadership }, state);
  const fail = (error: Error) =>
    real.tell(() => {
      throw error;
    });
  const watchToFinal = async () => {
    await real.mine(13);
    for (let poll = 0; poll < 3; poll += 1) await watch();
  };
  const chain = async () => (await readLiveChains(harness.ctx.db))[0];

  it('reads pages while it leads, and nothing while another one does', async () => {
    const id = await real.create();
    await real.pay(id);
    leads = false;
    expect(await watch()).to.equal(2_000);
    expect(await real.statusOf(id)).to.equal('WAITING');
    leads = true;
    await watch();
    expect(await real.statusOf(id)).to.equal('PENDING');
  });

  it('comes again at once while there is more, when its client says, and else around the next block', async () => {
    real.tell((page) => ({ ...page, next: 'more', scannedUntil: null }));
    expect(await watch()).to.equal(0);
    real.tell((page) => ({ ...page, next: { waitSeconds: 7, why: 'behind' } }));
    expect(await watch()).to.equal(7_000);
    const { ctx } = harness;
    const blockMs = (ctx.config.blockSeconds ?? 12) * 1_000;
    real.tell((page) => ({ ...page, head: { ...page.head, time: ctx.now() } }));
    expect(await watch()).to.equal(blockMs);
    harness.advance(60);
    real.tell((page) => ({ ...page, head: { ...page.head, time: new Date(ctx.now().getTime() - 60_000) } }));
    expect(await watch()).to.equal(Math.max(200, Math.min(500, blockMs / 4)));
  });

  it('comes again after a second where a network has several blocks in one', async () => {
    const fast = openRealNetwork(harness, shop, undefined, 'arbitrum');
    const watched = { network: 'arbitrum', adapters: fast.adapters.live, leadership } as const;
    expect(await watchOnce(harness.ctx, watched, state)).to.equal(1_000);
  });

  it('tries a client that fails again, each time later, and from the beginning once it works', async () => {
    fail(new Error('away'));
    const waits = [];
    for (let poll = 0; poll < 7; poll += 1) waits.push(await watch());
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    real.tell((page) => page);
    await watch();
    fail(new Error('away'));
    expect(await watch()).to.equal(1_000);
  });

  it('halts a network for its client, applies no page that is under way, and goes on when an operator resumes it', async () => {
    const id = await real.create();
    await watch();
    fail(new ChainHalted('a reorganisation below the final height 5'));
    await watch();
    expect(await chain()).to.deep.include({
      halted_at: harness.ctx.now(),
      halted_because: 'a reorganisation below the final height 5',
    });
    await real.pay(id);
    real.tell((page) => page);
    await watch();
    await real.sync();
    expect(await real.statusOf(id)).to.equal('WAITING');
    expect(await resumeChain(harness.ctx.db, 'ethereum')).to.equal(true);
    expect(await resumeChain(harness.ctx.db, 'ethereum')).to.equal(false);
    await watch();
    expect(await real.statusOf(id)).to.equal('PENDING');
  });

  it('settles nothing of a network that has halted, and goes on with it later', async () => {
    const id = await real.create();
    await real.pay(id);
    await real.mine(13);
    for (let poll = 0; poll < 2; poll += 1) await watch();
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    fail(new ChainHalted('another chain'));
    await watch();
    const exchange = { convert: () => Promise.resolve('converted' as const) };
    const settle = unlessHalted(settlePayment, settlePayments);
    const { live } = real.adapters;
    await leaseOf(harness.ctx, settlePayment);
    await settle(harness.ctx, { ...live, exchange }, [id]);
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    const job = await harness.ctx.db('scheduled_jobs').where({ job: settlePayment.name, key: id }).first();
    expect(job?.run_at).to.deep.equal(addSeconds(harness.ctx.now(), 60));
    await resumeChain(harness.ctx.db, 'ethereum');
    harness.advance(60);
    await settle(harness.ctx, { ...live, exchange }, [id]);
    expect(await real.statusOf(id)).to.equal('SETTLED');
  });

  it('is missed by the health of the service where it does not read, and where a network has halted', async () => {
    const { ctx } = harness;
    const look = () => networksCheck(ctx).look();
    expect(await look()).to.deep.equal([]);
    fail(new Error('away'));
    await watch();
    expect(await look()).to.deep.equal(['ethereum is not read yet']);
    real.tell((page) => page);
    await watch();
    expect(await look()).to.deep.equal([]);
    harness.advance(200);
    expect(await look()).to.deep.equal(['ethereum is not read: payments there are seen later']);
    fail(new ChainHalted('another chain'));
    await watch();
    expect(await look()).to.deep.equal(['ethereum has halted: an operator must look at it']);
  });

  it('reads again from a height, and no deadline passes until it has come back', async () => {
    expect(await rescanChain(harness.ctx.db, 'ethereum', 1)).to.equal(null);
    await real.mine(14);
    await watch();
    expect(await rescanChain(harness.ctx.db, 'ethereum', 9_000)).to.equal(null);
    const asked: (string | null)[] = [];
    expect(await rescanChain(harness.ctx.db, 'ethereum', 2)).to.equal(2);
    expect((await chain())?.scanned_until).to.equal(null);
    const adapters = {
      ...real.adapters.live,
      chain: (ctx: Parameters<typeof real.adapters.live.chain>[0]) => {
        const client = real.adapters.live.chain(ctx);
        return {
          ...client,
          poll: (...given: Parameters<typeof client.poll>) => {
            asked.push(given[1]);
            return client.poll(...given);
          },
        };
      },
    };
    await watchOnce(harness.ctx, { network: 'ethereum', adapters, leadership }, state);
    expect(asked).to.deep.equal(['1']);
    expect((await chain())?.scanned_until).to.deep.equal(harness.ctx.now());
  });

  it('waits with no page for what is asked beside, which runs once at a time and after pages at the head', async () => {
    let [begun, end] = [0, (): void => undefined];
    const beside = () => {
      begun += 1;
      return new Promise<void>((resolve) => (end = resolve));
    };
    const watched = { network: 'ethereum', adapters: real.adapters.live, leadership, beside } as const;
    real.tell((page) => ({ ...page, next: 'more', scannedUntil: null }));
    await watchOnce(harness.ctx, watched, state);
    expect(begun).to.equal(0);
    real.tell((page) => page);
    for (let poll = 0; poll < 3; poll += 1) await watchOnce(harness.ctx, watched, state);
    expect(begun).to.equal(1);
    const id = await real.create();
    await real.pay(id);
    await watchOnce(harness.ctx, watched, state);
    expect(await real.statusOf(id)).to.equal('PENDING');
    end();
    await state.beside;
    await watchOnce(harness.ctx, watched, state);
    expect(begun).to.equal(2);
    end();
  });

  it('applies a page without asking a provider for what merchants have announced', async () => {
    const chains = real.adapters.live.chain(harness.ctx);
    let asks = 0;
    const find = (...given: Parameters<typeof chains.find>) => {
      asks += 1;
      return chains.find(...given);
    };
    const merchant = await real.addMerchant();
    const asked = new MerchantRefunds(harness, real, { finish: watchToFinal, payIn: (id) => real.pay(id) });
    const refund = await asked.ask(merchant, await asked.settled(merchant), {
      amount: '5',
      address: TREASURY,
    });
    await asked.announce(merchant, refund, `0x${'ab'.repeat(32)}`);
    const adapters = { ...real.adapters.live, chain: () => ({ ...chains, find }) };
    await watchOnce(harness.ctx, { network: 'ethereum', adapters, leadership }, state);
    expect([asks, await asked.stateOf(merchant, refund)]).to.deep.equal([0, 'SENT']);
  });

  it('asks often for what waits in the pool of Bitcoin, whose blocks come when they come', async () => {
    const { ctx } = harness;
    const bitcoin = openRealNetwork(harness, shop, simulatedChain, 'bitcoin');
    const onBitcoin = { network: 'bitcoin', adapters: bitcoin.adapters.live, leadership } as const;
    const blockAgo = (minutes: number) =>
      bitcoin.tell((page) => {
        const time = addSeconds(ctx.now(), -60 * minutes);
        return { ...page, head: { ...page.head, time }, scannedUntil: time };
      });
    const look = () => networksCheck(ctx).look();
    const late = async () =>
      (await openSurvey(ctx).networks()).find(({ network }) => network === 'bitcoin/live')?.lateSeconds;
    for (const minutes of [0, 9, 60]) {
      harness.advance(3_600);
      blockAgo(minutes);
      expect(await watchOnce(ctx, onBitcoin, newWatchState())).to.be.within(200, 5_000);
      expect([await look(), await late()], `${minutes} minutes without a block`).to.deep.equal([[], 0]);
    }
    harness.advance(61);
    expect(await look()).to.deep.equal(['bitcoin is not read: payments there are seen later']);
    expect(await late()).to.equal(61);
    blockAgo(180);
    harness.advance(3 * 3_600);
    await watchOnce(ctx, onBitcoin, newWatchState());
    expect(await look(), 'a chain that stands still').to.have.length(1);
  });

  it('says how the providers of its client do', async () => {
    const providers = [{ name: '1 rpc.example.com', ok: true, lag: 0 }];
    real.tell((page) => ({ ...page, providers }));
    await watch();
    expect(await chain()).to.deep.include({ network: 'ethereum', providers });
  });
});
