import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import {
  eachHoldingReceiver,
  deliveriesIn,
  deliveryJobIn,
  createPaymentsWithDeliveries,
  type HoldingReceiver,
  LONG_RUN,
} from '../../../support/deliveries.ts';
import type { Shop } from '../../../support/shop.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { until } from '../../../support/until.ts';
import type { Harness } from '../../../support/harness.ts';

describe('deliveries that are created while runs start and end', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  eachHoldingReceiver((opened) => ({ harness, shop, receiver } = opened));

  const send = () => deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id, LONG_RUN);
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);
  const untilBlocked = () => untilWaitingForLocks(harness.ctx.db);

  /** Creates a new event's delivery, and returns the function that commits it. */
  const createUncommitted = async () => {
    const [event] = await shop.events(await shop.create());
    const [begun, committed] = [new EventEmitter(), new EventEmitter()];
    const isBegun = once(begun, 'now');
    const isCommitted = once(committed, 'now');
    const over = harness.ctx.db.transaction(async (tx) => {
      await dispatchEvents({ ...harness.ctx, db: tx }, [event?.id ?? '']);
      begun.emit('now');
      await isCommitted;
    });
    await isBegun;
    return async () => {
      committed.emit('now');
      await over;
    };
  };

  it('are found by a run that was about to release the endpoint when they were committed', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const sending = send();
    await until('a request waits', () => receiver.held === 1);
    const commit = await createUncommitted();
    receiver.open();
    await untilBlocked();
    await commit();
    await sending;
    expect(await statuses()).to.deep.equal(['delivered', 'delivered']);
  });

  it('are not deferred by a run that found the endpoint leased before they were committed', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const sending = send();
    await until('a request waits', () => receiver.held === 1);
    const commit = await createUncommitted();
    const second = send();
    await untilBlocked();
    await commit();
    await second;
    expect(await deliveryJobIn(harness)).to.deep.equal({
      visible_at: harness.ctx.now(),
    });
    receiver.open();
    await sending;
  });

  it('by many transactions at once are all delivered', async () => {
    receiver.open();
    const events: string[] = [];
    for (let made = 0; made < 80; made += 1)
      for (const { id } of await shop.events(await shop.create())) events.push(id);
    const creating = new Set([0, 1, 2, 3]);
    const createLane = async (lane: number) => {
      for (let i = lane; i < events.length; i += 4) await dispatchEvents(harness.ctx, [events[i] ?? '']);
      creating.delete(lane);
    };
    const runMeanwhile = async () => {
      while (creating.size > 0) await send();
    };
    await Promise.all([...[...creating].map(createLane), runMeanwhile(), runMeanwhile(), runMeanwhile()]);
    const waiting = (await statuses()).filter((status) => status === 'pending');
    const job = await deliveryJobIn(harness);
    // No run has died, so no job waits for the end of a lease.
    if (waiting.length > 0) expect(job).to.deep.equal({ visible_at: harness.ctx.now() });
    await harness.work();
    expect(new Set(await statuses())).to.deep.equal(new Set(['delivered']));
    expect(receiver.requests).to.have.length(80);
  });
});
