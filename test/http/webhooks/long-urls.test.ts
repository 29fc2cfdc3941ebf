import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { dispatchEvent } from '../../../src/domain/outbox/jobs.ts';
import { createDeliveries } from '../../../src/domain/webhooks/deliveries/create.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { callbackEndpointId, configure, deliveriesIn } from '../../support/deliveries.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** Random, so that Postgres cannot compress them below the size of an index row. */
const CJK = Array.from({ length: 2_000 }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('');

const storeUrl = sql<never, { paymentId: string; url: string }>(
  'test_store_callback_url',
  (p) => `
   WITH payment AS (UPDATE payments SET callback_url = ${p.url} WHERE id = ${p.paymentId})
   UPDATE events SET callback_url = ${p.url} WHERE payment_id = ${p.paymentId}`,
);
const endpoints = sql<{ id: string; url: string | null }>(
  'test_endpoints_with_urls',
  'SELECT id, url FROM webhook_endpoints ORDER BY id',
);

describe('a callback_url that an index row cannot hold', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    receiver = await startReceiver();
    await configure(harness, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);

  it('that an earlier release stored is dispatched beside others, and the merchant can replay all', async () => {
    const begin = harness.ctx.now().toISOString();
    const [poison, sound] = [await shop.create(), await shop.create()];
    await run(harness.ctx.db, storeUrl, { paymentId: poison, url: `${receiver.url}/${CJK}` });
    await harness.work();
    expect(await deliveriesIn(harness)).to.have.length(2);
    expect(await harness.ctx.db('scheduled_jobs').where({ job: dispatchEvent.name })).to.deep.equal([]);
    const delivery = (await deliveriesIn(harness)).find(({ payment_id }) => payment_id === sound);
    expect(delivery?.status).to.equal('delivered');
    const { body } = await harness
      .api('post', '/v1/webhooks/redeliver')
      .send({ from_date: begin, which: 'all' })
      .expect(202);
    expect((body as { count: number }).count).to.be.at.least(1);
  });

  it('within 2048 bytes is stored percent-encoded, and its events arrive', async () => {
    const path = '漢'.repeat(200);
    await shop.create({ callback_url: `${receiver.url}/${path}?order=ü` });
    await harness.work();
    expect(await statuses()).to.deep.equal(['delivered']);
    expect(receiver.requests.map(({ path: sent }) => sent)).to.deep.equal([
      `/hooks/${encodeURIComponent(path)}?order=%C3%BC`,
    ]);
    const url = `${receiver.url}/${encodeURIComponent(path)}`;
    expect(await run(harness.ctx.db, endpoints, [])).to.deep.equal([
      { id: callbackEndpointId(harness.merchant.id, url), url },
    ]);
  });

  it('keeps the endpoint that an earlier release stored under the URL itself', async () => {
    const url = `${receiver.url}/hooks`;
    const id = `${harness.merchant.id} ${url}`;
    await harness.ctx.db.raw(
      `INSERT INTO webhook_endpoints (id, merchant_id, url, url_hash) VALUES (?, ?, ?, sha256(convert_to(?, 'UTF8')))`,
      [id, harness.merchant.id, url, url],
    );
    await shop.create({ callback_url: `${url}?order=1` });
    await harness.work();
    expect((await deliveriesIn(harness)).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([id]);
    expect(await statuses()).to.deep.equal(['delivered']);
  });

  it('is found by its hash, however many endpoints the merchant has', async () => {
    await harness.ctx.db.raw(
      `INSERT INTO webhook_endpoints (id, merchant_id, url, url_hash)
       SELECT m.id || ' ' || i, m.id, 'https://shop.example/' || i, sha256(i::text::bytea)
       FROM merchants m, generate_series(1, 5000) AS i`,
    );
    await harness.ctx.db.raw('ANALYZE webhook_endpoints');
    const events = await shop.events(await shop.create({ callback_url: `${receiver.url}/new` }));
    const plans = await explain(harness.ctx.db, (tx) =>
      createDeliveries(
        tx,
        harness.ctx,
        events.map(({ id }) => id),
        null,
      ),
    );
    for (const plan of plans) expect(rowsRead(plan, 'webhook_endpoints'), plan).to.be.at.most(5);
  });
});
