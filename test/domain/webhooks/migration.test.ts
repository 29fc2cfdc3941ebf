import { expect } from 'chai';
import { fanOutEvents } from '../../../src/domain/webhooks/fan-out.ts';
import { run, sql } from '../../../src/platform/db.ts';
import { down, up } from '../../../src/migrations/0006_webhook_endpoints.ts';
import { configure, deliveriesIn, fanOutPayments } from '../../support/deliveries.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

const attempts = sql<object>('test_attempts', 'SELECT * FROM delivery_attempts ORDER BY delivery_id, number');

/** What was written before: ids of deliveries that have nothing to do with their events'. */
const OTHER_IDS = `
  CREATE TEMPORARY TABLE renamed AS SELECT id, 'dlv_0' || upper(substr(md5(id), 1, 25)) AS other FROM deliveries;
  UPDATE deliveries d SET id = other FROM renamed r WHERE r.id = d.id;
  UPDATE delivery_attempts a SET delivery_id = other FROM renamed r WHERE r.id = a.delivery_id;
  UPDATE due_work w SET key = other FROM renamed r WHERE r.id = w.key;
  DROP TABLE renamed`;

describe('deliveries from before they were due per endpoint', () => {
  let world: World;
  let receiver: Receiver;
  before(async () => {
    world = await createWorld();
    // The second is not taken at its first attempt.
    receiver = await startReceiver({ answer: (_, index) => ({ status: index === 1 ? 500 : 200 }) });
    await configure(world, receiver.url);
    await world.work();
  });
  after(async () => {
    await receiver.close();
    await world.close();
  });

  it('are there with their attempts, are sent when they are due, and are found by a fan-out and a replay', async () => {
    const { db } = world.ctx;
    const shop = await openShop(world);
    const begin = world.ctx.now().toISOString();
    const ids: string[] = [];
    for (const body of [{}, { callback_url: receiver.url }, {}]) {
      ids.push(...(await fanOutPayments(world, shop, 1, body)));
      await world.work();
    }
    const before_ = [await deliveriesIn(world), await run(db, attempts, [])];
    expect(before_[0]).to.have.length(3);

    await down(db);
    await db.transaction((tx) => tx.raw(OTHER_IDS));
    await up(db);
    expect([await deliveriesIn(world), await run(db, attempts, [])]).to.deep.equal(before_);

    const events = await Promise.all(ids.map((id) => shop.events(id)));
    await fanOutEvents(
      world.ctx,
      events.flat().map(({ id }) => id),
    );
    const replay = await world.api('post', '/v1/webhooks/redeliver').send({ from_date: begin }).expect(202);
    expect(replay.body).to.include({ count: 0 });
    expect(receiver.requests).to.have.length(3);
    world.advance(6);
    await world.work();
    expect(receiver.requests).to.have.length(4);
    expect((await deliveriesIn(world)).map(({ status }) => status)).to.deep.equal([
      'delivered',
      'delivered',
      'delivered',
    ]);
  });
});
