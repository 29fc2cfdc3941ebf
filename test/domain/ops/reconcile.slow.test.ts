import { expect } from 'chai';
import winston from 'winston';
import { reconcileOnce } from '../../../src/domain/ops/reconcile.ts';
import { expirePayment } from '../../../src/domain/payments/lifecycle/jobs.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { SIMULATED_RATES } from '../../../src/domain/chain/simulator/market.ts';
import { createHandlers } from '../../../src/background/workers.ts';
import { dispatchEvent } from '../../../src/domain/outbox/jobs.ts';
import { sendAddressRequest, sendReceipt } from '../../../src/domain/receipts/jobs.ts';
import { expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { dispatchEvents } from '../../../src/domain/events/dispatch.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import type { Context } from '../../../src/platform/context.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { selectMethodAt } from '../../support/select-method.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const jobsOfOthers = sql<{ job: string; key: string; run_at: Date }>(
  'test_jobs_but',
  'SELECT job, key, run_at FROM scheduled_jobs WHERE job <> ALL ($1) ORDER BY job, key',
);
const deleteAllBut = sql('test_delete_jobs_but', 'DELETE FROM scheduled_jobs WHERE job <> ALL ($1)');

describe('reconciling', () => {
  let harness: Harness;
  let shop: Shop;
  /** It logs an error for each row that was missing, which here is on purpose. */
  let ctx: Context;
  /** The names of the recurring jobs, which reconciling leaves to the workers' start. */
  let recurring: readonly string[];
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    const jobs = [...createHandlers(harness.adapters).values()].map(({ job }) => job);
    recurring = jobs.filter(({ keys }) => keys.length > 0).map(({ name }) => name);
    ctx = { ...harness.ctx, log: winston.createLogger({ silent: true }) };
    await setWebhookConfig(
      ctx.db,
      harness.merchant.id,
      { webhookUrl: 'http://127.0.0.1:9/', enabled: true },
      ctx.now(),
    );
  });
  afterEach(() => harness.close());

  const due = () => run(ctx.db, jobsOfOthers, [[...recurring, dispatchEvent.name]]);
  /** One payment in each state that has work to come, and its delivery and refund as well. */
  const prepare = async () => {
    const settled = await shop.create();
    await shop.pay(settled);
    await harness.work();
    await shop.mine(12);
    await shop.refund(settled, { amount: '1' });
    await selectMethodAt(harness, await shop.create(), 'BTC', SIMULATED_RATES);
    const [waiting, underpaid, covered, processing] = [
      await shop.create(),
      await shop.create(),
      await shop.create(),
      await shop.create(),
    ];
    await shop.pay(processing);
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    await shop.chain.mine('ethereum', 12, ctx.now());
    await shop.pay(underpaid, { amount: '1' });
    await shop.pay(covered);
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    const [event] = await shop.events(waiting);
    await dispatchEvents(ctx, [event?.id ?? '']);
    return { waiting, underpaid, covered, processing };
  };

  it('finds nothing to do on a sound database', async () => {
    await prepare();
    const before = await due();
    expect(before.length).to.be.at.least(5);
    expect(await reconcileOnce(ctx)).to.equal(0);
    expect(await due()).to.deep.equal(before);
  });

  it('restores every row that is missing, with the time that it had, and only those', async () => {
    const { waiting, underpaid, covered, processing } = await prepare();
    const before = await due();
    await run(ctx.db, deleteAllBut, [recurring]);
    expect(await reconcileOnce(ctx)).to.equal(before.length);
    expect(await due()).to.deep.equal(before);
    const keys = (await due()).map(({ key }) => key);
    expect(keys).to.include.members([waiting, underpaid, processing]);
    const ofCovered = (await due()).filter(({ key }) => key === covered);
    expect(ofCovered.map(({ job }) => job)).to.deep.equal(['payment.end-holds']);
  });

  it('lets what it restored run its course', async () => {
    const { waiting, processing } = await prepare();
    await ctx.db.raw(`DELETE FROM scheduled_jobs WHERE job <> 'chain.observe'`);
    await reconcileOnce(ctx);
    await harness.work();
    expect((await shop.payment(processing)).status).to.equal('SETTLED');
    harness.advance(3_600);
    await harness.work();
    expect((await shop.payment(waiting)).status).to.equal('EXPIRED');
  });

  it('finds a conversion without an outcome, also of money that came after the settlement', async () => {
    const id = await shop.create();
    for (const amount of ['10.5', '3']) {
      await shop.pay(id, { amount });
      await syncNetwork(ctx, harness.adapters, 'ethereum');
      await shop.chain.mine('ethereum', 12, ctx.now());
      await syncNetwork(ctx, harness.adapters, 'ethereum');
      if (amount === '10.5') await settlePayments(ctx, harness.adapters, [id]);
    }
    const away = { convert: () => Promise.reject(new Error('away')) };
    await settlePayments(ctx, { exchange: away }, [id]).catch(() => null);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    await ctx.db.raw(`DELETE FROM scheduled_jobs WHERE job <> 'chain.observe'`);
    expect(await reconcileOnce(ctx)).to.be.at.least(1);
    await harness.work();
    expect(await ctx.db('conversions').where({ payment_id: id }).pluck('status')).to.deep.equal([
      'CONVERTED',
      'CONVERTED',
    ]);
  });

  it('restores the job of a receipt that is to be sent, and none of one that is sent or discarded', async () => {
    const id = await shop.create({ customer_email: 'ann@customer.example' });
    await shop.pay(id);
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    await shop.chain.mine('ethereum', 12, ctx.now());
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    await settlePayments(ctx, harness.adapters, [id]);
    const events = (await shop.events(id)).map((event) => event.id);
    await dispatchEvents(ctx, events);
    const jobsOfReceipts = () => ctx.db('scheduled_jobs').where({ job: sendReceipt.name }).pluck('key');
    const jobs = await jobsOfReceipts();
    expect(jobs).to.deep.equal(events.slice(-1));
    await ctx.db('scheduled_jobs').where({ job: sendReceipt.name }).delete();
    expect(await reconcileOnce(ctx)).to.equal(1);
    expect(await jobsOfReceipts()).to.deep.equal(jobs);
    // Without a mail server the receipt is discarded.
    await harness.work();
    expect(await jobsOfReceipts()).to.deep.equal([]);
    expect(await reconcileOnce(ctx)).to.equal(0);
  });

  it('restores the job of an address request that is to be sent, and none of one that is over', async () => {
    const id = await shop.create({ customer_email: 'ann@customer.example' });
    await shop.pay(id, { amount: '4' });
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    harness.advance(3_601);
    await expirePayments(ctx, harness.adapters, [id]);
    const events = (await shop.events(id)).map((event) => event.id);
    await dispatchEvents(ctx, events);
    const jobs = () => ctx.db('scheduled_jobs').where({ job: sendAddressRequest.name }).pluck('key');
    // Too little while the payment is open, and when it expires.
    expect(await jobs()).to.have.members(events.slice(-2));
    await ctx.db('scheduled_jobs').where({ job: sendAddressRequest.name }).delete();
    expect(await reconcileOnce(ctx)).to.equal(2);
    expect(await jobs()).to.have.members(events.slice(-2));
    // Without a mail server the request is discarded.
    await harness.work();
    expect(await jobs()).to.deep.equal([]);
    expect(await reconcileOnce(ctx)).to.equal(0);
  });

  it('restores the job of a mail that tells of a refund address', async () => {
    const id = await shop.create({ customer_email: 'ann@customer.example' });
    await ctx.db('refund_addresses').insert({ payment_id: id, network: 'ethereum', address: '0x1' });
    expect(await reconcileOnce(ctx), 'of an earlier release').to.equal(0);
    await ctx.db('refund_addresses').update({ given_at: ctx.now() });
    expect(await reconcileOnce(ctx)).to.equal(1);
    await harness.work();
    expect(await reconcileOnce(ctx)).to.equal(0);
  });

  it('restores the job of a test clock by that clock', async () => {
    const id = await shop.create({ expiration_minutes: 300 });
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '4h' }).expect(200);
    const jobs = () => ctx.db('scheduled_jobs').where({ job: expirePayment.name, key: id });
    const before = await jobs();
    await ctx.db('scheduled_jobs').where({ job: expirePayment.name, key: id }).delete();
    expect(await reconcileOnce(ctx)).to.equal(1);
    const [row] = (await jobs()) as { run_at: Date; visible_at: Date; test_clock: string }[];
    expect(row).to.include({ test_clock: id });
    expect([row?.run_at, row?.visible_at]).to.deep.equal([before[0].run_at, before[0].visible_at]);
    // By its clock the payment has an hour left.
    harness.advance(3_600);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('EXPIRED');
  });

  it('by several workers at once restores each row once', async () => {
    await prepare();
    const before = await due();
    await run(ctx.db, deleteAllBut, [recurring]);
    const counts = await Promise.all([1, 2, 3, 4].map(() => reconcileOnce(ctx)));
    expect(counts.reduce((a, b) => a + b)).to.equal(before.length);
    expect(await due()).to.deep.equal(before);
  });

  it('goes by the time in the ids: what is older than its look-back is not read', async () => {
    // 20,000 payments of a year ago, and as many done deliveries.
    const id = await shop.create();
    await ctx.db.raw(`
      INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', 'pay_01JH' || lpad(i::text, 22, '0'), 'token_id', 'old' || i,
        'status', 'EXPIRED'))).* FROM payments p, generate_series(1, 20000) AS i WHERE p.id = '${id}'`);
    await ctx.db.raw(`
      INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status, created_at)
      SELECT 'dlv_01JH' || lpad(i::text, 22, '0'), 'evt_' || i, 'mer_1', 'pay_1', 'mer_1', 1, '', 'delivered', now() FROM generate_series(1, 20000) AS i`);
    await ctx.db.raw('ANALYZE');
    for (const plan of await explain(ctx.db, (tx) => reconcileOnce({ ...ctx, db: tx }))) {
      expect(rowsRead(plan, 'payments'), plan).to.be.at.most(10);
      expect(rowsRead(plan, 'deliveries'), plan).to.be.at.most(10);
    }
  });
});
