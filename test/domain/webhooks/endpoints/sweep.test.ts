import { expect } from 'chai';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { webhookClientOf } from '../../../../src/domain/webhooks/client/client.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { sweepEndpoints } from '../../../../src/domain/webhooks/endpoints/sweep.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { callbackEndpointId } from '../../../support/deliveries.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const DAY = 86_400;
const endpoints = sql<{ id: string }>('test_endpoints', 'SELECT id FROM webhook_endpoints ORDER BY id');

describe('endpoints that payments name', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    harness = await createHarness();
    shop = await openShop(harness);
    const { db, now } = harness.ctx;
    await setWebhookConfig(db, harness.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
  });
  afterEach(async () => {
    await harness.close();
    await receiver.close();
  });

  const ids = async () => (await run(harness.ctx.db, endpoints, [])).map(({ id }) => id);
  const own = (path: string) => callbackEndpointId(harness.merchant.id, `${receiver.url}${path}`);

  it('are one for all queries of a URL, and one for each path', async () => {
    for (const path of ['/a?order=1', '/a?order=2', '/b', ''])
      await shop.create({ callback_url: `${receiver.url}${path}` });
    await harness.work();
    expect(await ids()).to.have.members([own('/a'), own('/b'), own('')]);
    expect(receiver.requests).to.have.length(4);
  });

  it("are deleted when idle for 30 days; the merchant's own and disabled ones stay", async () => {
    for (const path of ['/idle', '/off']) await shop.create({ callback_url: `${receiver.url}${path}` });
    await shop.create();
    await harness.work();
    await harness.ctx.db.raw(
      `UPDATE webhook_endpoints SET disabled_at = last_success_at, disabled_reason = 'gone'
       WHERE url LIKE '%/off'`,
    );
    harness.advance(30 * DAY);
    expect(await sweepEndpoints(harness.ctx)).to.equal(0);
    harness.advance(1);
    expect(await sweepEndpoints(harness.ctx)).to.equal(1);
    expect(await ids()).to.have.members([harness.merchant.id, own('/off')]);
  });

  it('are deleted 30 days after their creation when they were never used, and when their run died', async () => {
    for (const path of ['/never', '/died']) {
      const id = await shop.create({ callback_url: `${receiver.url}${path}` });
      await dispatchEvents(
        harness.ctx,
        (await shop.events(id)).map((event) => event.id),
      );
    }
    await harness.ctx.db.raw(
      `UPDATE deliveries SET status = 'failed', failed_because = 'webhooks_disabled', next_attempt_at = NULL`,
    );
    await harness.ctx.db.raw(
      `UPDATE webhook_endpoints SET leased_by = 'run', leased_until = created_at WHERE url LIKE '%/died'`,
    );
    harness.advance(30 * DAY);
    expect(await sweepEndpoints(harness.ctx)).to.equal(0);
    harness.advance(1);
    expect(await sweepEndpoints(harness.ctx)).to.equal(2);
  });

  it('of a payment whose clock is ahead are deleted 30 days after their creation', async () => {
    const id = await shop.create();
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '30d' }).expect(200);
    harness.advance(30 * DAY + 1);
    expect(await ids()).to.include(id);
    expect(await sweepEndpoints(harness.ctx)).to.equal(1);
    expect(await ids()).to.not.include(id);
  });

  it('of a payment whose test clock is frozen stay, however old they are by that clock', async () => {
    const id = await shop.create();
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1m' }).expect(200);
    harness.advance(31 * DAY);
    await harness.ctx
      .db('payments')
      .where({ id })
      .update({ clock_frozen_until: addSeconds(harness.ctx.now(), 60) });
    expect(await ids()).to.include(id);
    expect(await sweepEndpoints(harness.ctx)).to.equal(0);
    harness.advance(60);
    expect(await sweepEndpoints(harness.ctx)).to.equal(1);
    expect(await ids()).to.not.include(id);
  });

  it('that were deleted while a delivery to them was created are restored', async () => {
    await shop.create({ callback_url: `${receiver.url}/late` });
    // The delivery exists, and its endpoint does not.
    await harness.work();
    await harness.ctx.db.raw(`UPDATE deliveries SET status = 'pending', next_attempt_at = created_at`);
    await harness.ctx.db.raw('DELETE FROM webhook_endpoints');
    const client = webhookClientOf(harness.ctx.config);
    await deliverDue(harness.ctx, client, own('/late'));
    await harness.work();
    await client.close();
    expect(receiver.requests).to.have.length(2);
    expect(await ids()).to.deep.equal([own('/late')]);
  });
});
