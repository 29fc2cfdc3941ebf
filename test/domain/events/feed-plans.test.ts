import { expect } from 'chai';
import { MAX_READ, readFeed } from '../../../src/domain/events/feed.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { feedPage, untilFeedsAreWhole, walkFeed } from '../../support/feed.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the event feed with many events', () => {
  const MANY = 20_000;
  const RARE = [4_000, 12_345, 19_999];
  const namesOf = (events: readonly object[]) => events.map((event) => (event as { name: number }).name);
  const paymentOf = (n: number) => `pay_01KF${String(Math.ceil(n / 4)).padStart(22, '0')}`;
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    await harness.ctx.db.raw(
      `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at)
       SELECT 'evt_' || n, 'pay_01KF' || lpad(((n + 3) / 4)::text, 22, '0'), ?, (n + 3) % 4 + 1,
         CASE WHEN n = ANY (?::int[]) THEN 'checkout.refunded' ELSE 'checkout.created' END, '{"name":' || n || '}', ?
       FROM generate_series(1, ?) AS n`,
      [harness.merchant.id, RARE, harness.ctx.now(), MANY],
    );
    await harness.ctx.db.raw('ANALYZE events');
    await untilFeedsAreWhole(harness.ctx.db);
  });
  after(() => harness.close());

  const expectReads = async (most: number, query: Parameters<typeof readFeed>[2]) => {
    const plans = await explain(harness.ctx.db, (tx) => readFeed({ db: tx }, harness.merchant.id, query));
    expect(plans.length).to.be.at.least(2);
    for (const plan of plans) {
      expect(rowsRead(plan, 'events'), plan).to.be.within(1, most);
      expect(plan).to.not.match(/Seq Scan on events/);
    }
  };

  it('a page reads its own events, wherever it begins', async () => {
    const { cursor } = await walkFeed(harness.ctx.db, harness.merchant.id, { payment_id: paymentOf(10_000) });
    await expectReads(21, { limit: 20 });
    await expectReads(21, { limit: 20, after: cursor ?? '' });
    await expectReads(21, { limit: 20, type: ['checkout.created'] });
  });

  it('a page of a payment reads the events of that payment', async () => {
    const first = await feedPage(harness.ctx.db, harness.merchant.id, { limit: 1 });
    await expectReads(4, { payment_id: paymentOf(MANY) });
    await expectReads(4, { payment_id: paymentOf(MANY), after: first.pagination.next_cursor ?? '' });
  });

  it('a page of a rare type reads at most its limit of events', async () => {
    await expectReads(MAX_READ, { type: ['checkout.refunded'] });
    await expectReads(MAX_READ, { type: ['checkout.failed'] });
  });

  it('reading a rare type continues over short and empty pages, and finds every event', async () => {
    const { events, pages, cursor } = await walkFeed(harness.ctx.db, harness.merchant.id, {
      type: ['checkout.refunded'],
    });
    expect(namesOf(events)).to.deep.equal(RARE);
    expect(pages.map(({ data }) => data.length)).to.deep.equal([1, 0, 1, 1, 0]);
    expect(pages.at(-1)?.pagination).to.deep.equal({ limit: 20, has_more: false, next_cursor: cursor });
    const none = await walkFeed(harness.ctx.db, harness.merchant.id, { type: ['checkout.failed'] });
    expect(none.events).to.deep.equal([]);
    expect(none.pages).to.have.length(5);
  });

  it('reading continues after a page that ends exactly at its limit', async () => {
    const { events } = await walkFeed(harness.ctx.db, harness.merchant.id, {
      type: ['checkout.created'],
      limit: 100,
    });
    expect(events).to.have.length(MANY - RARE.length);
    await harness.ctx.db.raw(`UPDATE events SET type = 'checkout.settled' WHERE id = 'evt_${MAX_READ}'`);
    await harness.ctx.db.raw(`UPDATE events SET type = 'checkout.settled' WHERE id = 'evt_${MAX_READ + 1}'`);
    const settled = await walkFeed(harness.ctx.db, harness.merchant.id, { type: ['checkout.settled'] });
    expect(namesOf(settled.events)).to.deep.equal([MAX_READ, MAX_READ + 1]);
  });
});
