import { expect } from 'chai';
import { runJob } from '../../../../src/background/runs/run-job.ts';
import { createHandlers } from '../../../../src/background/workers.ts';
import { reconcileOnce } from '../../../../src/domain/ops/reconcile.ts';
import { countStuck, listStuck, releaseParked, stuckText } from '../../../../src/domain/ops/stuck.ts';
import { applyQuarantined, expirePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { STUCK_AFTER_FAILURES } from '../../../../src/domain/schedule/parking.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { isUnavailable } from '../../../../src/platform/postgres/db.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';
import { poisonShop, type PoisonedShop } from '../../../support/poison.ts';

const ALL = { job: null, key: null };
const USDC = { coin: 'USDC', network: 'ethereum' } as const;
const SETTLED_STORY = ['created WAITING', 'pending PENDING', 'processing PROCESSING', 'settled SETTLED'];

describe('a payment whose transfers cannot be applied', () => {
  let harness: Harness;
  let shop: Shop;
  let ctx: Context;
  let work: PoisonedShop['work'];
  let pass: PoisonedShop['pass'];
  let elapse: PoisonedShop['elapse'];
  let untilRetried: PoisonedShop['untilRetried'];
  let poison: PoisonedShop['poison'];
  let repair: PoisonedShop['repair'];
  let countQuarantined: PoisonedShop['countQuarantined'];
  eachShop((opened) => {
    ({ harness, shop } = opened);
    ({ ctx, work, pass, elapse, untilRetried, poison, repair, countQuarantined } = poisonShop(harness));
  });

  const sync = () => syncNetwork(ctx, harness.adapters, 'ethereum');
  const send = (id: string, amount: string) => shop.send(id, { ...USDC, amount });
  const statuses = async (ids: readonly string[]) =>
    new Set(await Promise.all(ids.map(async (id) => (await shop.payment(id)).status)));
  const createMany = (count: number) => Promise.all(Array.from({ length: count }, () => shop.create()));

  it('stops no other of its network, is listed when stuck, and settles once repaired and released', async () => {
    const ids = await createMany(20);
    const [poisoned = '', ...others] = ids
      .toSorted(() => 0)
      .slice(7)
      .concat(ids.slice(0, 7));
    await poison([poisoned]);
    for (const id of ids) await send(id, '10.50');
    await work();
    expect(await statuses(others)).to.deep.equal(new Set(['PENDING']));
    await elapse(168);
    expect(await statuses(others)).to.deep.equal(new Set(['SETTLED']));
    expect((await shop.payment(poisoned)).status).to.equal('WAITING');
    // Those created later, too.
    const [later = ''] = await createMany(1);
    await send(later, '10.50');
    await elapse(168);
    expect(await shop.story(later)).to.deep.equal(SETTLED_STORY);
    for (let failures = 0; failures < STUCK_AFTER_FAILURES; failures += 1) {
      harness.advance(600);
      await work();
    }
    const stuck = await listStuck(ctx.db, ALL);
    expect(stuck.map(({ job, key, failures }) => [job, key, failures])).to.deep.equal([
      [applyQuarantined.name, poisoned, STUCK_AFTER_FAILURES],
    ]);
    expect(stuckText(stuck)).to.include(`payment.apply-transfers  ${poisoned}  30 failures, parked since`);
    expect(stuckText(stuck)).to.include('test_fault');
    expect(await countStuck(ctx.db)).to.deep.equal([{ job: applyQuarantined.name, count: 1 }]);
    // More of its transfers do not end the parking, and its deadline has passed: it was paid in time.
    await send(poisoned, '1');
    await pass(1);
    expect(await listStuck(ctx.db, ALL)).to.have.length(1);
    expect(await countQuarantined(poisoned)).to.be.greaterThan(1);
    expect(await shop.story(poisoned)).to.deep.equal(['created WAITING']);
    expect(await reconcileOnce(ctx)).to.equal(0);
    await repair();
    await releaseParked(ctx.db, ALL);
    await elapse(168);
    expect((await shop.story(poisoned)).slice(0, 2)).to.deep.equal(['created WAITING', 'pending PENDING']);
    expect((await shop.payment(poisoned)).status).to.equal('SETTLED');
    expect((await shop.payment(poisoned)).amount_received).to.equal('11.5');
    expect(await countQuarantined(null)).to.equal(0);
    expect(await countStuck(ctx.db)).to.deep.equal([]);
  });

  it('alone on its page, too, lets the cursor go on', async () => {
    const [poisoned = '', other = ''] = await createMany(2);
    await poison([poisoned]);
    await send(poisoned, '10.50');
    await work();
    expect(await countQuarantined(poisoned)).to.equal(1);
    await send(other, '10.50');
    await elapse(168);
    expect((await shop.payment(other)).status).to.equal('SETTLED');
    await repair();
    await untilRetried();
    expect(await shop.story(poisoned)).to.deep.equal(SETTLED_STORY);
  });

  it('one of several: each is quarantined, and each ends by itself', async () => {
    const ids = await createMany(9);
    const poisoned = [ids[1] ?? '', ids[2] ?? '', ids[7] ?? ''];
    await poison(poisoned, 'events');
    for (const id of ids) await send(id, '10.50');
    await work();
    await elapse(168);
    expect(await statuses(poisoned)).to.deep.equal(new Set(['WAITING']));
    expect(await statuses(ids.filter((id) => !poisoned.includes(id)))).to.deep.equal(new Set(['SETTLED']));
    await repair('events');
    await untilRetried();
    expect(await statuses(ids)).to.deep.equal(new Set(['SETTLED']));
  });

  it('only at its confirmation: others confirm, and it confirms later', async () => {
    const ids = await createMany(5);
    const [poisoned = '', ...others] = ids;
    for (const id of ids) await send(id, '10.50');
    await pass(1);
    await poison([poisoned], 'ledger_entries');
    await elapse(168);
    expect(await statuses(others)).to.deep.equal(new Set(['SETTLED']));
    expect((await shop.payment(poisoned)).status).to.equal('PENDING');
    await repair('ledger_entries');
    await untilRetried();
    expect(await shop.story(poisoned)).to.deep.equal(SETTLED_STORY);
  });

  it('keeps the order of its transfers: repaired meanwhile, nothing is applied ahead', async () => {
    const [poisoned = ''] = await createMany(1);
    await poison([poisoned]);
    await send(poisoned, '4');
    await pass(1);
    await repair();
    await send(poisoned, '6.50');
    await sync();
    expect((await shop.payment(poisoned)).amount_received).to.equal('0');
    expect(await countQuarantined(poisoned)).to.be.greaterThan(1);
    await untilRetried();
    const seen = await ctx.db('transfers').where({ payment_id: poisoned }).orderBy('place').pluck('amount');
    expect(seen).to.deep.equal(['4', '6.50']);
    expect((await shop.payment(poisoned)).status).to.equal('SETTLED');
  });

  it('is not quarantined for a fault of all, nor while Postgres is unavailable, nor for a fault that ends', async () => {
    const ids = await createMany(4);
    for (const id of ids) await send(id, '10.50');
    const failure = () =>
      sync().then(
        () => null,
        (error: Error) => error,
      );
    await ctx.db.raw('ALTER TABLE transfers ADD CONSTRAINT test_fault CHECK (false) NOT VALID');
    expect((await failure())?.message).to.include('test_fault');
    await repair();
    const raise = async (code: string, condition: string) => {
      await ctx.db.raw(`CREATE OR REPLACE FUNCTION test_raise() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF ${condition} THEN RAISE EXCEPTION 'raised' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`);
      await ctx.db.raw(
        'CREATE OR REPLACE TRIGGER test_raise BEFORE INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION test_raise()',
      );
    };
    for (const code of ['57014', '55P03', '40P01', '40001', '53200', '08006', '57P01']) {
      await raise(code, `NEW.payment_id = '${ids[2]}'`);
      expect(isUnavailable(await failure()), code).to.equal(true);
    }
    expect(await countQuarantined(null)).to.equal(0);
    expect(await statuses(ids)).to.deep.equal(new Set(['WAITING']));
    // A sequence does not go back with its transaction: it fails once.
    await ctx.db.raw('CREATE SEQUENCE test_once');
    await raise('XX000', `NEW.payment_id = '${ids[2]}' AND nextval('test_once') = 1`);
    expect(await failure()).to.equal(null);
    expect(await countQuarantined(null)).to.equal(0);
    expect(await statuses(ids)).to.deep.equal(new Set(['PENDING']));
  });

  it('by 8 workers at once is quarantined once, and applied once', async () => {
    const ids = await createMany(12);
    const poisoned = ids[5] ?? '';
    const others = ids.filter((id) => id !== poisoned);
    await poison([poisoned]);
    for (const id of ids) await send(id, '10.50');
    await Promise.all(Array.from({ length: 8 }, sync));
    expect(await statuses(others)).to.deep.equal(new Set(['PENDING']));
    expect(await countQuarantined(poisoned)).to.equal(1);
    await repair();
    const handler = createHandlers(harness.adapters).get(applyQuarantined.name);
    const leased = { job: applyQuarantined.name, key: poisoned, failures: 0, test_clock: null };
    const apply = async () =>
      handler && (await runJob(ctx, handler, [{ ...leased, run_at: null, merchant_id: null }]));
    for (let block = 0; block < 4; block += 1) {
      await shop.chain.mine('ethereum', 1, ctx.now());
      await Promise.all([sync(), apply(), sync(), apply(), sync()]);
    }
    await pass(20);
    expect(await countQuarantined(null)).to.equal(0);
    expect(await ctx.db('scheduled_jobs').where({ job: applyQuarantined.name })).to.deep.equal([]);
    for (const id of ids) expect(await shop.story(id)).to.deep.equal(SETTLED_STORY);
  });

  it('does not expire while money that was seen before its deadline is quarantined', async () => {
    const [poisoned = '', unpaid = ''] = await createMany(2);
    await poison([poisoned]);
    await send(poisoned, '10.50');
    await work();
    harness.advance(3 * 3600);
    await work();
    expect((await shop.payment(unpaid)).status).to.equal('EXPIRED');
    expect((await shop.payment(poisoned)).status).to.equal('WAITING');
    await repair();
    await untilRetried();
    expect(await shop.story(poisoned)).to.deep.equal(SETTLED_STORY);
    expect((await shop.payment(poisoned)).exceptions).to.deep.equal([]);
  });

  it('expires once its transfers are applied, when they are not enough', async () => {
    const [poisoned = ''] = await createMany(1);
    await poison([poisoned]);
    await send(poisoned, '4');
    await work();
    harness.advance(3 * 3600);
    await work();
    expect(await ctx.db('scheduled_jobs').where({ job: expirePayment.name, key: poisoned })).to.have.length(
      0,
    );
    expect(await reconcileOnce(ctx)).to.equal(0);
    await repair();
    await untilRetried();
    expect(await shop.story(poisoned)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'failed EXPIRED',
    ]);
    expect((await shop.payment(poisoned)).amount_received).to.equal('4');
  });

  it('does not settle money whose loss is quarantined', async () => {
    const [poisoned = ''] = await createMany(1);
    const { txHash } = await send(poisoned, '10.50');
    await sync();
    await shop.chain.mine('ethereum', 12, ctx.now());
    await sync();
    expect((await shop.payment(poisoned)).status).to.equal('PROCESSING');
    await poison([poisoned], 'events');
    await shop.chain.replace(txHash, ctx.now());
    await sync();
    await pass(3);
    expect((await shop.payment(poisoned)).status).to.equal('PROCESSING');
    expect(await ctx.db('conversions').where({ payment_id: poisoned })).to.deep.equal([]);
    expect(await reconcileOnce(ctx)).to.equal(0);
    await repair('events');
    await untilRetried();
    expect((await shop.payment(poisoned)).status).to.equal('FAILED');
    expect(await ctx.db('conversions').where({ payment_id: poisoned })).to.deep.equal([]);
  });

  it('promises and sends no refund of money whose loss is quarantined', async () => {
    const [poisoned = ''] = await createMany(1);
    harness.advance(26 * 3600);
    await work();
    const { txHash } = await send(poisoned, '10.50');
    await elapse(168);
    expect((await shop.payment(poisoned)).status).to.equal('EXPIRED');
    await shop.refund(poisoned);
    await poison([poisoned]);
    await shop.chain.replace(txHash, ctx.now());
    await sync();
    const refused = await shop.refund(poisoned).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
    expect(refused).to.equal('Transfers of the payment are being processed. Try again later.');
    await elapse(720);
    expect(await ctx.db('refunds').where({ payment_id: poisoned }).pluck('status')).to.deep.equal([
      'PENDING',
    ]);
    await repair();
    await untilRetried();
    await untilRetried();
    expect(await ctx.db('refunds').where({ payment_id: poisoned }).pluck('status')).to.deep.equal([]);
    expect((await shop.payment(poisoned)).amount_refunded).to.equal('0');
  });

  it('gets its job again by reconciling', async () => {
    const [poisoned = ''] = await createMany(1);
    await poison([poisoned]);
    await send(poisoned, '10.50');
    await work();
    await ctx.db('scheduled_jobs').where({ job: applyQuarantined.name }).delete();
    expect(await reconcileOnce(ctx)).to.equal(1);
    await repair();
    await elapse(168);
    expect((await shop.payment(poisoned)).status).to.equal('SETTLED');
  });
});
