import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { runOne, sql, type Db, type Tx } from '../../../../src/platform/postgres/db.ts';
import {
  configure,
  deliveriesIn,
  fanOutPayments,
  startHoldingReceiver,
  type HoldingReceiver,
} from '../../../support/deliveries.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { until } from '../../../support/until.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const dueWork = sql<{ visible_at: Date }>(
  'test_due_endpoint',
  `SELECT visible_at FROM scheduled_jobs WHERE job = 'webhook.deliver' AND key = $1`,
);
describe('deliveries that are added while runs come and go', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await harness.work();
    receiver = await startHoldingReceiver();
    await configure(harness, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const send = () => deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id);
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);
  const untilBlocked = () => untilWaitingForLocks(harness.ctx.db);

  /** Fans a new event out up to the commit, for which it waits until it is told to. */
  const fanOutUncommitted = async () => {
    const [event] = await shop.events(await shop.create());
    const [begun, committed] = [new EventEmitter(), new EventEmitter()];
    const isBegun = once(begun, 'now');
    const isCommitted = once(committed, 'now');
    const transaction = (work: (tx: Tx) => Promise<unknown>) =>
      harness.ctx.db.transaction(async (tx) => {
        await work(tx);
        begun.emit('now');
        await isCommitted;
      });
    const over = dispatchEvents({ ...harness.ctx, db: { transaction } as unknown as Db }, [event?.id ?? '']);
    await isBegun;
    return async () => {
      committed.emit('now');
      await over;
    };
  };

  it('are found by a run that was about to leave when they were committed', async () => {
    await fanOutPayments(harness, shop, 1);
    const sending = send();
    await until('a request waits', () => receiver.held === 1);
    const commit = await fanOutUncommitted();
    receiver.open();
    await untilBlocked();
    await commit();
    await sending;
    expect(await statuses()).to.deep.equal(['delivered', 'delivered']);
  });

  it('are not put off by a run that found the endpoint held before they were committed', async () => {
    await fanOutPayments(harness, shop, 1);
    const sending = send();
    await until('a request waits', () => receiver.held === 1);
    const commit = await fanOutUncommitted();
    const second = send();
    await untilBlocked();
    await commit();
    await second;
    expect(await runOne(harness.ctx.db, dueWork, [harness.merchant.id])).to.deep.equal({
      visible_at: harness.ctx.now(),
    });
    receiver.open();
    await sending;
  });

  it('by many at once are all delivered', async () => {
    receiver.open();
    const events: string[] = [];
    for (let made = 0; made < 80; made += 1)
      for (const { id } of await shop.events(await shop.create())) events.push(id);
    const fanningOut = new Set([0, 1, 2, 3]);
    const fanOutLane = async (lane: number) => {
      for (let i = lane; i < events.length; i += 4) await dispatchEvents(harness.ctx, [events[i] ?? '']);
      fanningOut.delete(lane);
    };
    const runOver = async () => {
      while (fanningOut.size > 0) await send();
    };
    await Promise.all([...[...fanningOut].map(fanOutLane), runOver(), runOver(), runOver()]);
    const waiting = (await statuses()).filter((status) => status === 'pending');
    const work = await runOne(harness.ctx.db, dueWork, [harness.merchant.id]);
    // Nobody has died, so nothing waits for the end of a hold either.
    if (waiting.length > 0) expect(work).to.deep.equal({ visible_at: harness.ctx.now() });
    await harness.work();
    expect(new Set(await statuses())).to.deep.equal(new Set(['delivered']));
    expect(receiver.requests).to.have.length(80);
  });
});
