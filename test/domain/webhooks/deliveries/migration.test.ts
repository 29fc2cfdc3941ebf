import { expect } from 'chai';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { execute } from '../../../../dev/embedded-postgres/databases.ts';
import { loadMigration } from '../../../../src/platform/postgres/migrate.ts';
import {
  callbackEndpointId,
  configure,
  deliveriesIn,
  createPaymentsWithDeliveries,
} from '../../../support/deliveries.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const attempts = sql<object>('test_attempts', 'SELECT * FROM delivery_attempts ORDER BY delivery_id, number');

/** Gives deliveries ids of the older format, which do not derive from their events'. */
const OTHER_IDS = `
  CREATE TEMPORARY TABLE renamed AS 
    SELECT id, 'dlv_0' || upper(substr(md5(id), 1, 25)) AS other FROM deliveries;
  UPDATE deliveries d SET id = other FROM renamed r WHERE r.id = d.id;
  UPDATE delivery_attempts a SET delivery_id = other FROM renamed r WHERE r.id = a.delivery_id;
  UPDATE due_work w SET key = other FROM renamed r WHERE r.id = w.key;
  DROP TABLE renamed`;

describe('deliveries of the schema before jobs per endpoint', () => {
  let harness: Harness;
  let receiver: Receiver;
  before(async () => {
    harness = await createHarness();
    // The first attempt of the second delivery fails.
    receiver = await startReceiver({ answer: (_, index) => ({ status: index === 1 ? 500 : 200 }) });
    await configure(harness, receiver.url);
    await harness.work();
  });
  after(async () => {
    await receiver.close();
    await harness.close();
  });

  it('keep their attempts, are sent when due, and are found by creation and replay', async () => {
    const { db } = harness.ctx;
    const shop = await openShop(harness);
    const begin = harness.ctx.now().toISOString();
    const ids: string[] = [];
    for (const body of [{}, { callback_url: receiver.url }, {}]) {
      ids.push(...(await createPaymentsWithDeliveries(harness, shop, 1, body)));
      await harness.work();
    }
    const before_ = [await deliveriesIn(harness), await run(db, attempts, [])];
    expect(before_[0]).to.have.length(3);

    const migrations = [
      '0006_webhook_endpoints',
      '0010_field_terms',
      '0016_endpoints_by_hash',
      '0018_endpoint_resets',
      '0031_registered_endpoints',
    ].map(loadMigration);
    const { databaseUrl } = harness.ctx.config;
    for (const { down } of migrations.toReversed()) await execute(databaseUrl, ...down);
    await db.transaction((tx) => tx.raw(OTHER_IDS));
    for (const { statements } of migrations) await execute(databaseUrl, ...statements);
    // An endpoint that was stored under its URL keeps that id.
    const { id } = harness.merchant;
    const [hashed, stored] = [callbackEndpointId(id, receiver.url), `${id} ${receiver.url}`];
    const after_ = (await deliveriesIn(harness)).map((row) =>
      row.endpoint_id === stored ? { ...row, endpoint_id: hashed } : row,
    );
    expect([after_, await run(db, attempts, [])]).to.deep.equal(before_);

    const events = await Promise.all(ids.map((id) => shop.events(id)));
    await dispatchEvents(
      harness.ctx,
      events.flat().map(({ id }) => id),
    );
    const replay = await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: begin }).expect(202);
    expect(replay.body).to.include({ count: 0 });
    expect(receiver.requests).to.have.length(3);
    harness.advance(6);
    await harness.work();
    expect(receiver.requests).to.have.length(4);
    expect((await deliveriesIn(harness)).map(({ status }) => status)).to.deep.equal([
      'delivered',
      'delivered',
      'delivered',
    ]);
  });
});
