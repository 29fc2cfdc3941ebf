import { expect } from 'chai';
import { claimDue } from '../../../src/domain/due-work/store.ts';
import { fanOutEvent } from '../../../src/domain/events/jobs.ts';
import { fanOutEvents } from '../../../src/domain/webhooks/fan-out.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/settings.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { run, sql } from '../../../src/platform/db.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { statementsOf } from '../../support/statements.ts';
import { createWorld, type World } from '../../support/world.ts';

const allDeliveries = sql<{
  id: string;
  event_id: string;
  payment_id: string;
  merchant_id: string;
  status: string;
}>('test_all_deliveries', 'SELECT * FROM deliveries');
const dueKeys = sql<{ key: string; run_at: Date }>(
  'test_due_keys',
  'SELECT key, run_at FROM due_work WHERE job = $1',
);

describe('fanning events out', () => {
  let world: World;
  let shop: Shop;
  beforeEach(async () => {
    world = await createWorld();
    shop = await openShop(world);
    await configure(world.merchant.id);
  });
  afterEach(() => world.close());

  const configure = (merchantId: string, enabled = true) =>
    setWebhookConfig(
      world.ctx.db,
      merchantId,
      { webhookUrl: 'https://shop.example/hooks', enabled },
      world.ctx.now(),
    );
  const handOver = async () => {
    const { db, now } = world.ctx;
    const work = await claimDue(db, new Map([[fanOutEvent.name, 1000]]), now(), addSeconds(now(), 30));
    return work.map(({ key }) => key);
  };
  const due = (job: string) => run(world.ctx.db, dueKeys, [job]);
  const deliveries = () => run(world.ctx.db, allDeliveries, []);

  it('makes one delivery of each event, due at once, and is done', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => shop.create()));
    const events = await handOver();
    world.advance(1);
    await fanOutEvents(world.ctx, events);
    const rows = await deliveries();
    expect(rows.map(({ event_id }) => event_id)).to.have.members(events);
    expect(rows.map(({ payment_id }) => payment_id)).to.have.members(ids);
    expect(new Set(rows.map(({ status, merchant_id }) => `${status} ${merchant_id}`))).to.deep.equal(
      new Set([`pending ${world.merchant.id}`]),
    );
    expect(await due('webhook.deliver')).to.deep.equal([{ key: world.merchant.id, run_at: world.ctx.now() }]);
    expect(await due(fanOutEvent.name)).to.deep.equal([]);
  });

  it('twice, and by several workers at once in any order, adds nothing', async () => {
    await Promise.all(Array.from({ length: 300 }, () => shop.create()));
    const events = await handOver();
    const orders = [events, events.toReversed(), events.slice(5), events.toReversed().slice(5)];
    await Promise.all([...orders, ...orders].map((order) => fanOutEvents(world.ctx, order)));
    await fanOutEvents(world.ctx, events);
    expect((await deliveries()).map(({ event_id }) => event_id)).to.have.members(events);
    expect(await due('webhook.deliver')).to.have.length(1);
  });

  it('of several merchants makes deliveries of those that want them', async () => {
    const [off, bare] = [await world.addMerchant(), await world.addMerchant()];
    await configure(off.id, false);
    const wanted = await shop.create();
    await (await openShop(world, off)).create({ callback_url: 'https://own.example/' });
    await (await openShop(world, bare)).create();
    await fanOutEvents(world.ctx, await handOver());
    expect((await deliveries()).map(({ payment_id }) => payment_id)).to.deep.equal([wanted]);
    expect(await due(fanOutEvent.name)).to.deep.equal([]);
  });

  it('passes over events that are not there', async () => {
    await fanOutEvents(world.ctx, ['evt_00000000000000000000000000']);
    expect(await deliveries()).to.deep.equal([]);
  });

  it('of 200 events takes five round trips', async () => {
    await Promise.all(Array.from({ length: 200 }, () => shop.create()));
    const events = await handOver();
    const sent = await statementsOf(() => fanOutEvents(world.ctx, events));
    expect(sent).to.deep.equal(['BEGIN;', 'insert_deliveries', 'schedule_work', 'finish_work', 'COMMIT;']);
  });
});
