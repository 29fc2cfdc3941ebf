import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import {
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
  deliveryJobIn,
  eachHoldingReceiver,
  type HoldingReceiver,
} from '../../../support/deliveries.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const DAY = 86_400;

describe('deliveries that are due while webhooks are disabled', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  eachHoldingReceiver((opened) => ({ harness, shop, receiver } = opened));

  /** Of the payments' first events: the others are of their expiry. */
  const states = async () =>
    (await deliveriesIn(harness))
      .filter(({ sequence }) => sequence === 1)
      .map(({ status, attempts }) => `${status} ${attempts}`);
  const set = (enabled: boolean) => configure(harness, receiver.url, enabled);
  const later = async (seconds: number) => {
    harness.advance(seconds);
    await harness.work();
  };

  it('wait, those of a callback_url too, and go on when webhooks are enabled', async () => {
    receiver.status = 500;
    receiver.open();
    const callback_url = `${new URL(receiver.url).origin}/own`;
    await createPaymentsWithDeliveries(harness, shop, 1, { callback_url });
    await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.work();
    expect(await states()).to.deep.equal(['pending 1', 'pending 1']);
    await set(false);
    receiver.status = 200;
    await later(60);
    await later(DAY);
    expect(await states()).to.deep.equal(['pending 1', 'pending 1']);
    expect(receiver.requests).to.have.length(2);
    await set(true);
    await harness.work();
    expect(await states()).to.deep.equal(['delivered 2', 'delivered 2']);
    expect(await deliveryJobIn(harness)).to.equal(null);
  });

  it('cost one look a day', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    await set(false);
    await harness.work();
    const at = harness.ctx.now().getTime() + DAY * 1000;
    expect(await deliveryJobIn(harness)).to.deep.equal({ visible_at: new Date(at) });
  });

  it('are not missed by a PUT that looked for them before they were committed', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    await set(false);
    receiver.open();
    let sending: Promise<void> | undefined;
    await harness.ctx.db.transaction(async (tx) => {
      // The PUT has enabled webhooks and found no waiting endpoint; it has not committed.
      await tx.raw('UPDATE merchants SET webhooks_enabled = true WHERE id = ?', [harness.merchant.id]);
      sending = deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id);
      await untilWaitingForLocks(harness.ctx.db);
    });
    await sending;
    expect(await states()).to.deep.equal(['delivered 1']);
  });
});
