import { expect } from 'chai';
import { deliverDue } from '../../../src/domain/webhooks/deliver.ts';
import { openExchange } from '../../../src/domain/webhooks/open-exchange.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/settings.ts';
import { sweepEndpoints } from '../../../src/domain/webhooks/sweep-endpoints.ts';
import { run, sql } from '../../../src/platform/db.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

const DAY = 86_400;
const endpoints = sql<{ id: string }>('test_endpoints', 'SELECT id FROM webhook_endpoints ORDER BY id');

describe('endpoints that payments name', () => {
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    world = await createWorld();
    shop = await openShop(world);
    const { db, now } = world.ctx;
    await setWebhookConfig(db, world.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
  });
  afterEach(async () => {
    await world.close();
    await receiver.close();
  });

  const ids = async () => (await run(world.ctx.db, endpoints, [])).map(({ id }) => id);
  const own = (path: string) => `${world.merchant.id} ${receiver.url}${path}`;

  it('are one for all queries of a URL, and one for each path', async () => {
    for (const path of ['/a?order=1', '/a?order=2', '/b', ''])
      await shop.create({ callback_url: `${receiver.url}${path}` });
    await world.work();
    expect(await ids()).to.have.members([own('/a'), own('/b'), own('')]);
    expect(receiver.requests).to.have.length(4);
  });

  it("go when nothing was sent there for 30 days; the merchant's own and what is switched off stay", async () => {
    for (const path of ['/idle', '/off']) await shop.create({ callback_url: `${receiver.url}${path}` });
    await shop.create();
    await world.work();
    await world.ctx.db.raw(
      `UPDATE webhook_endpoints SET switched_off_at = last_success_at, switched_off_because = 'gone' WHERE id LIKE '%/off'`,
    );
    world.advance(30 * DAY);
    expect(await sweepEndpoints(world.ctx)).to.equal(0);
    world.advance(1);
    expect(await sweepEndpoints(world.ctx)).to.equal(1);
    expect(await ids()).to.have.members([world.merchant.id, own('/off')]);
  });

  it('that were swept while an event for them came in are put back', async () => {
    await shop.create({ callback_url: `${receiver.url}/late` });
    // Fanned out by nobody's hands but these: the delivery is there, and its endpoint is not.
    await world.work();
    await world.ctx.db.raw(`UPDATE deliveries SET status = 'pending', next_attempt_at = created_at`);
    await world.ctx.db.raw('DELETE FROM webhook_endpoints');
    const exchange = openExchange(world.ctx.config);
    await deliverDue(world.ctx, exchange, own('/late'));
    await world.work();
    await exchange.close();
    expect(receiver.requests).to.have.length(2);
    expect(await ids()).to.deep.equal([own('/late')]);
  });
});
