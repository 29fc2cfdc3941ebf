import { expect } from 'chai';
import { recordEvents } from '../../../src/domain/outbox/outbox.ts';
import { sweepEvents } from '../../../src/domain/events/sweep.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { untilFeedsAreWhole, walkFeed } from '../../support/feed.ts';
import { openShop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const DAY = 86_400;

describe('sweeping events', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  /** Records one event for each of `count` payments now, with ids that contain no time. */
  const add = (name: string, count = 1) =>
    harness.ctx.db.transaction((tx) =>
      recordEvents(
        tx,
        Array.from({ length: count }, (_, n) => ({
          id: newId('evt', new Date(0)),
          paymentId: `pay_${name}${n}`,
          merchantId: harness.merchant.id,
          sequence: 1,
          type: 'checkout.created',
          callbackUrl: null,
          body: `{"name":"${name}"}`,
          createdAt: harness.ctx.now(),
          testClock: null,
        })),
      ),
    );
  const left = async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { name: string }[] }>(
      `SELECT DISTINCT body::json->>'name' AS name FROM events ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  };
  const sweepAfter = (days: number) => {
    harness.advance(days * DAY);
    return sweepEvents(harness.ctx);
  };

  it('deletes events recorded 90 days ago by the system clock, and none that are younger', async () => {
    await add('old', 2);
    expect(await sweepEvents(harness.ctx)).to.equal(0);
    await add('young');
    expect(await sweepAfter(89.99)).to.equal(0);
    await add('new');
    expect(await sweepAfter(0.01)).to.equal(2);
    expect(await left()).to.deep.equal(['new', 'young']);
    expect(await sweepAfter(89.99)).to.equal(1);
    expect(await left()).to.deep.equal(['new']);
    expect(await sweepAfter(90)).to.equal(1);
  });

  it("uses the real time of a scenario's run, not its test clock", async () => {
    harness.advance(200 * DAY);
    const scenario = await harness.api('post', '/v1/sandbox/scenarios').send({ story: 'paid' }).expect(200);
    expect(scenario.body.payment.created_at).to.equal('2026-01-01T00:00:00.000Z');
    const events = () => harness.api('get', `/v1/payment/${scenario.body.payment.id}/events`).expect(200);
    expect(await sweepEvents(harness.ctx)).to.equal(0);
    expect(await sweepAfter(89)).to.equal(0);
    expect((await events()).body.data).to.have.length(scenario.body.events.length);
    expect(await sweepAfter(1)).to.equal(scenario.body.events.length);
    expect((await events()).body.data).to.deep.equal([]);
  });

  it('deletes the mails of the events that it deletes, and no others', async () => {
    const addReceipts = async () => {
      await harness.ctx.db.raw(
        `INSERT INTO receipts (event_id, payment_id, attempts) SELECT id, payment_id, 1 FROM events ON CONFLICT DO NOTHING`,
      );
      await harness.ctx.db.raw(
        `INSERT INTO address_requests (event_id, payment_id, reason)
         SELECT id, payment_id, 'too_late' FROM events ON CONFLICT DO NOTHING`,
      );
    };
    await add('old');
    await addReceipts();
    await sweepEvents(harness.ctx);
    harness.advance(DAY);
    await add('young');
    await addReceipts();
    expect(await sweepAfter(89)).to.equal(1);
    for (const table of ['receipts', 'address_requests'])
      expect(await harness.ctx.db(table).pluck('payment_id'), table).to.deep.equal(['pay_young0']);
  });

  it('keeps an event with a pending delivery', async () => {
    const shop = await openShop(harness);
    await setWebhookConfig(
      harness.ctx.db,
      harness.merchant.id,
      { webhookUrl: 'http://127.0.0.1:9/', enabled: true },
      harness.ctx.now(),
    );
    await harness.work();
    const id = await shop.create();
    await harness.work();
    harness.advance(1);
    await add('done');
    await sweepEvents(harness.ctx);
    expect(await sweepAfter(90)).to.equal(1);
    expect(await shop.events(id)).to.have.length(1);
    await harness.ctx.db.raw(
      `UPDATE deliveries SET status = 'failed', failed_because = 'retries_exhausted', next_attempt_at = NULL`,
    );
    expect(await sweepEvents(harness.ctx)).to.equal(1);
  });

  it('lets a reader continue from a cursor whose events are deleted', async () => {
    await add('old');
    await sweepEvents(harness.ctx);
    await untilFeedsAreWhole(harness.ctx.db);
    const { cursor } = await walkFeed(harness.ctx.db, harness.merchant.id);
    await sweepAfter(90);
    await add('new');
    await untilFeedsAreWhole(harness.ctx.db);
    const { events } = await walkFeed(harness.ctx.db, harness.merchant.id, { after: cursor ?? '' });
    expect(events).to.deep.equal([{ name: 'new' }]);
  });

  it('by two workers at once deletes more than a chunk once, without a deadlock', async () => {
    await add('old', 12_000);
    await sweepEvents(harness.ctx);
    harness.advance(90 * DAY);
    const swept = await Promise.all([sweepEvents(harness.ctx), sweepEvents(harness.ctx)]);
    expect(swept[0] + swept[1]).to.equal(12_000);
    expect(await left()).to.deep.equal([]);
  });

  it('reads the events that it deletes, and not those that it keeps', async () => {
    await add('old', 500);
    await sweepEvents(harness.ctx);
    await add('young', 20_000);
    await harness.ctx.db.raw('ANALYZE events');
    harness.advance(90 * DAY);
    for (const plan of await explain(harness.ctx.db, (tx) => sweepEvents({ ...harness.ctx, db: tx })))
      expect(rowsRead(plan, 'events'), plan).to.be.at.most(1_000);
  });

  it('recurs every hour, and keeps no more marks than it needs', async () => {
    for (let day = 0; day < 100; day += 1) {
      await harness.work();
      harness.advance(DAY);
    }
    const { rows } = await harness.ctx.db.raw<{ rows: { count: string }[] }>(
      'SELECT count(*) FROM event_marks',
    );
    expect(Number(rows[0]?.count)).to.equal(91);
  });
});
