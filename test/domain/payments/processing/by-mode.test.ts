import { expect } from 'chai';
import { createHandlers } from '../../../../src/background/workers.ts';
import { createAdapters } from '../../../../src/domain/adapters.ts';
import {
  expirePayment,
  requotePayment,
  sendRefund,
  settlePayment,
  syncChain,
} from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { autopayPayment } from '../../../../src/domain/sandbox/customer/jobs.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import type { Job } from '../../../../src/domain/schedule/job.ts';
import { SILENT, type Log } from '../../../../src/platform/log.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

/** The payments are created while live merchants are simulated; the jobs run when they are not any more. */
describe('the jobs of live payments without a client of their network', () => {
  let harness: Harness;
  let test: Shop;
  let live: Shop;
  let errors: Record<string, unknown>[];
  before(async () => {
    harness = await createHarness({ SIMULATE_LIVE: 'true' });
    test = await openShop(harness);
    live = await openShop(harness, await harness.addMerchant({ mode: 'live' }));
  });
  beforeEach(() => {
    errors = [];
  });
  after(() => harness.close());

  /** Runs a job, leased as by a relay, as a process without SIMULATE_LIVE does. */
  async function runWithout(job: Job, keys: readonly string[]): Promise<void> {
    harness.advance(1);
    const leased = { visible_at: addSeconds(harness.ctx.now(), 30) };
    await harness.ctx.db('scheduled_jobs').where({ job: job.name }).whereIn('key', keys).update(leased);
    const config = { ...harness.ctx.config, simulateLive: false };
    const log = Object.create(SILENT, {
      error: { value: (_: string, fields: Record<string, unknown>) => void errors.push(fields) },
    }) as Log;
    const ctx: Context = { ...harness.ctx, config, log };
    await createHandlers(createAdapters(config)).get(job.name)?.handle(ctx, keys);
  }

  const jobOf = async ({ name }: Job, key: string) =>
    (await harness.ctx.db('scheduled_jobs').where({ job: name, key }).first()) as
      | { failures: number; last_error: string | null }
      | undefined;

  async function processing(shop: Shop): Promise<string> {
    const id = await shop.create();
    await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '10.50' });
    await runAsHarness(syncChain, ['ethereum']);
    await harness.adapters.testChain(harness.ctx).mine('ethereum', 12, harness.ctx.now());
    await runAsHarness(syncChain, ['ethereum']);
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    return id;
  }

  async function runAsHarness(job: Job, keys: readonly string[]): Promise<void> {
    await createHandlers(harness.adapters).get(job.name)?.handle(harness.ctx, keys);
  }

  it('settlement stays due and logs the network; test payments of the same run settle', async () => {
    const [real, simulated] = [await processing(live), await processing(test)];
    await runWithout(settlePayment, [real, simulated]);
    expect((await test.payment(simulated)).status).to.equal('SETTLED');
    expect((await live.payment(real)).status).to.equal('PROCESSING');
    expect(await jobOf(settlePayment, real)).to.include({
      failures: 1,
      last_error: 'no real client serves live payments on ethereum',
    });
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]).to.include({ job: settlePayment.name, payment_id: real, network: 'ethereum' });

    await runAsHarness(settlePayment, [real]);
    expect((await live.payment(real)).status, 'with SIMULATE_LIVE').to.equal('SETTLED');
  });

  it('a refund stays pending and due', async () => {
    const id = await processing(live);
    await runAsHarness(settlePayment, [id]);
    const refund = await live.refund(id, { amount: '1', to_sender: true });
    await runWithout(sendRefund, [refund.id]);
    expect((await live.payment(id)).amount_refunded).to.equal('0');
    expect(await jobOf(sendRefund, refund.id)).to.include({ failures: 1 });
    expect(errors[0]).to.include({ job: sendRefund.name, payment_id: id, network: 'ethereum' });
  });

  it('autopay never pays, and forgets the payment', async () => {
    const [real, simulated] = [await live.create(), await test.create()];
    await runWithout(autopayPayment, [real, simulated]);
    const sent = await harness.ctx.db('sim_transfers').whereLike('reference', 'autopay%').pluck('reference');
    expect(sent).to.deep.equal([`autopay ${simulated}`]);
  });

  it('a sync ignores transfers to their addresses, and does not confirm what is known', async () => {
    const [real, simulated, seen] = [await live.create(), await test.create(), await live.create()];
    await live.send(seen, { network: 'ethereum', coin: 'USDC', amount: '10.50' });
    await runAsHarness(syncChain, ['ethereum']);
    for (const [shop, id] of [[live, real] as const, [test, simulated] as const])
      await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '10.50' });
    await harness.adapters.testChain(harness.ctx).mine('ethereum', 12, harness.ctx.now());
    await runWithout(syncChain, ['ethereum']);
    expect((await test.payment(simulated)).status).to.equal('PROCESSING');
    expect((await live.payment(real)).status).to.equal('WAITING');
    expect((await live.payment(seen)).status).to.equal('PENDING');
  });

  it('expire at the deadline, without a look at the simulated chain', async () => {
    const [real, simulated] = [await live.create(), await test.create()];
    for (const [shop, id] of [[live, real] as const, [test, simulated] as const])
      await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '10.50' });
    harness.advance(3600);
    await runWithout(expirePayment, [real, simulated]);
    expect(await live.payment(real)).to.include({ status: 'EXPIRED', amount_received: '0' });
    expect((await test.payment(simulated)).status).to.not.equal('EXPIRED');
    expect(await jobOf(expirePayment, real)).to.equal(undefined);
  });

  it('a price that nobody can pay is not requoted, and its job ends', async () => {
    const id = await live.create();
    await harness.ctx.db('scheduled_jobs').insert({
      job: requotePayment.name,
      key: id,
      run_at: harness.ctx.now(),
      visible_at: harness.ctx.now(),
    });
    await runWithout(requotePayment, [id]);
    expect(await jobOf(requotePayment, id)).to.equal(undefined);
    expect(errors).to.deep.equal([]);
  });
});
