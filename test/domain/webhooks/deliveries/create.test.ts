import { expect } from 'chai';
import { dispatchEvent } from '../../../../src/domain/outbox/jobs.ts';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { enqueueWith } from '../../../../src/domain/schedule/enqueue.ts';
import { leaseAll } from '../../../support/lease.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { singleStatementsOf } from '../../../support/statements.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const allDeliveries = sql<{
  id: string;
  event_id: string;
  payment_id: string;
  merchant_id: string;
  status: string;
  failed_because: string | null;
}>('test_all_deliveries', 'SELECT * FROM deliveries');
const jobsByName = sql<{ key: string; run_at: Date }, { job: string }>(
  'test_jobs_by_name',
  (p) => `SELECT key, run_at FROM scheduled_jobs WHERE job = ${p.job}`,
);

describe('creating deliveries', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await configure(harness.merchant.id);
  });
  afterEach(() => harness.close());

  const configure = (merchantId: string, enabled = true) =>
    setWebhookConfig(
      harness.ctx.db,
      merchantId,
      { webhookUrl: 'https://shop.example/hooks', enabled },
      harness.ctx.now(),
    );
  const leaseEvents = async () => {
    const { db, now } = harness.ctx;
    const work = await leaseAll(db, now(), addSeconds(now(), 30), new Set([dispatchEvent.name]));
    return work.map(({ key }) => key);
  };
  const scheduled = (job: string) => run(harness.ctx.db, jobsByName, { job });
  const deliveries = () => run(harness.ctx.db, allDeliveries, []);

  it('creates one delivery of each event, due at once, and finishes the job', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => shop.create()));
    const events = await leaseEvents();
    harness.advance(1);
    await dispatchEvents(harness.ctx, events);
    const rows = await deliveries();
    expect(rows.map(({ event_id }) => event_id)).to.have.members(events);
    expect(rows.map(({ payment_id }) => payment_id)).to.have.members(ids);
    expect(new Set(rows.map(({ status, merchant_id }) => `${status} ${merchant_id}`))).to.deep.equal(
      new Set([`pending ${harness.merchant.id}`]),
    );
    expect(await scheduled('webhook.deliver')).to.deep.equal([
      { key: harness.merchant.id, run_at: harness.ctx.now() },
    ]);
    expect(await scheduled(dispatchEvent.name)).to.deep.equal([]);
  });

  it('enqueues the jobs of endpoints once they are committed, with their merchant', async () => {
    const enqueued: string[] = [];
    const stop = enqueueWith(harness.ctx.db, {
      enqueue: (jobs) => enqueued.push(...jobs.map(({ job, key }) => `${job.name} ${key}`)),
    });
    await shop.create();
    const events = await leaseEvents();
    expect(enqueued).to.include.members(events.map((id) => `${dispatchEvent.name} ${id}`));
    enqueued.length = 0;
    await dispatchEvents(harness.ctx, events);
    stop();
    expect(enqueued).to.deep.equal([`webhook.deliver ${harness.merchant.id}`]);
    const { db, now } = harness.ctx;
    const [leased] = await leaseAll(db, now(), addSeconds(now(), 30), new Set(['webhook.deliver']));
    expect(leased?.merchant_id).to.equal(harness.merchant.id);
  });

  it('twice, and by several workers at once in any order, creates no duplicates', async () => {
    await Promise.all(Array.from({ length: 300 }, () => shop.create()));
    const events = await leaseEvents();
    const orders = [events, events.toReversed(), events.slice(5), events.toReversed().slice(5)];
    await Promise.all([...orders, ...orders].map((order) => dispatchEvents(harness.ctx, order)));
    await dispatchEvents(harness.ctx, events);
    expect((await deliveries()).map(({ event_id }) => event_id)).to.have.members(events);
    expect(await scheduled('webhook.deliver')).to.have.length(1);
  });

  it('for several merchants sends to those with webhooks enabled, and logs the others as not sent', async () => {
    const [off, bare] = [await harness.addMerchant(), await harness.addMerchant()];
    await configure(off.id, false);
    const wanted = await shop.create();
    await (await openShop(harness, off)).create({ callback_url: 'https://own.example/' });
    await (await openShop(harness, bare)).create();
    await dispatchEvents(harness.ctx, await leaseEvents());
    const rows = await deliveries();
    const pending = rows.filter(({ status }) => status === 'pending');
    expect(pending.map(({ payment_id }) => payment_id)).to.deep.equal([wanted]);
    const others = rows.filter(({ status }) => status !== 'pending');
    expect(
      others.map(({ merchant_id, failed_because }) => [merchant_id, failed_because]),
    ).to.have.deep.members([
      [off.id, 'webhooks_disabled'],
      [bare.id, 'webhooks_disabled'],
    ]);
    expect(await scheduled('webhook.deliver')).to.have.length(1);
    expect(await scheduled(dispatchEvent.name)).to.deep.equal([]);
  });

  it('skips events that do not exist', async () => {
    await dispatchEvents(harness.ctx, ['evt_00000000000000000000000000']);
    expect(await deliveries()).to.deep.equal([]);
  });

  it('for 200 events takes one transaction of four statements, whose last locks the jobs of endpoints', async () => {
    await Promise.all(Array.from({ length: 200 }, () => shop.create()));
    const events = await leaseEvents();
    const sent = await singleStatementsOf(() => dispatchEvents(harness.ctx, events));
    expect(sent).to.deep.equal([
      'BEGIN',
      'SET LOCAL synchronous_commit TO off',
      'events_to_dispatch',
      'insert_deliveries',
      'finish_jobs',
      'schedule_jobs',
      'COMMIT',
    ]);
  });
});
