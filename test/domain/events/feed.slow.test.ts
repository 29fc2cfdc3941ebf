import { expect } from 'chai';
import type { Knex } from 'knex';
import pg from 'pg';
import { holderText, listFeedHolders } from '../../../src/domain/events/holders.ts';
import { feedHeldSeconds } from '../../../src/domain/events/horizon.ts';
import { recordEvents, type EventRecord } from '../../../src/domain/outbox/outbox.ts';
import { transition } from '../../../src/domain/payments/lifecycle/transition.ts';
import { execute } from '../../../dev/embedded-postgres/databases.ts';
import { loadMigration } from '../../../src/platform/postgres/migrate.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { feedPage, untilFeedsAreWhole, walkFeed } from '../../support/feed.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the event feed', () => {
  let harness: Harness;
  let shop: Shop;
  const open: Knex.Transaction[] = [];
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  afterEach(async () => {
    // A transaction left open by a failed test would block the close of the harness.
    for (const tx of open.splice(0)) if (!tx.isCompleted()) await tx.rollback();
    await harness.close();
  });

  const begin = async () => {
    const tx = await harness.ctx.db.transaction();
    open.push(tx);
    return tx;
  };
  const event = (name: string): EventRecord => ({
    id: newId('evt', harness.ctx.now()),
    paymentId: `pay_${name}`,
    merchantId: harness.merchant.id,
    sequence: 1,
    type: 'checkout.created',
    callbackUrl: null,
    body: JSON.stringify({ name }),
    createdAt: harness.ctx.now(),
    testClock: null,
  });
  const page = (after?: string | null) =>
    feedPage(harness.ctx.db, harness.merchant.id, typeof after === 'string' ? { after } : {});
  const namesOf = (events: readonly object[]) => events.map((event) => (event as { name: string }).name);
  const whole = () => untilFeedsAreWhole(harness.ctx.db);
  const see = (id: string) => ({ paymentId: id, trigger: 'transfer_seen' as const });

  describe('while writers overlap', () => {
    it('shows nothing after an open transaction, and then both in the order of their beginning', async () => {
      const { db } = harness.ctx;
      await db.transaction((tx) => recordEvents(tx, [event('before')]));
      await whole();
      const slow = await begin();
      await recordEvents(slow, [event('slow')]);
      await db.transaction((tx) => recordEvents(tx, [event('quick')]));
      const first = await page();
      expect(namesOf(first.data)).to.deep.equal(['before']);
      const held = await page(first.pagination.next_cursor);
      expect(held).to.deep.equal({ data: [], pagination: { ...first.pagination, has_more: false } });
      await slow.commit();
      await whole();
      expect(namesOf((await page(held.pagination.next_cursor)).data)).to.deep.equal(['slow', 'quick']);
    });

    it('does not wait for a transaction that was rolled back', async () => {
      const { db } = harness.ctx;
      const failing = await begin();
      await recordEvents(failing, [event('failed')]);
      await db.transaction((tx) => recordEvents(tx, [event('sound')]));
      await failing.rollback();
      await whole();
      expect(namesOf((await page()).data)).to.deep.equal(['sound']);
    });

    it('shows what comes after an open transaction that has written no event, and misses none of it', async () => {
      const { db } = harness.ctx;
      const [early, late] = [await begin(), await begin()];
      for (const tx of [early, late]) await tx.raw('SELECT pg_current_xact_id()');
      await db.transaction((tx) => recordEvents(tx, [event('quick')]));
      const first = await page();
      expect(namesOf(first.data)).to.deep.equal(['quick']);
      // Its number is below the cursor, and the event is not.
      await recordEvents(early, [event('early')]);
      await db.transaction((tx) => recordEvents(tx, [event('behind')]));
      const held = await page(first.pagination.next_cursor);
      expect(namesOf(held.data)).to.deep.equal([]);
      await early.commit();
      const second = await page(held.pagination.next_cursor);
      expect(namesOf(second.data)).to.deep.equal(['early', 'behind']);
      await recordEvents(late, [event('late')]);
      await late.commit();
      expect(namesOf((await page(second.pagination.next_cursor)).data)).to.deep.equal(['late']);
    });

    it('does not wait for a transaction of another database of the cluster', async () => {
      const other = await createTestDatabase();
      const elsewhere = new pg.Client({ connectionString: other.url });
      await elsewhere.connect();
      try {
        await elsewhere.query('BEGIN; SELECT pg_current_xact_id()');
        await harness.ctx.db.transaction((tx) => recordEvents(tx, [event('here')]));
        expect(namesOf((await page()).data)).to.deep.equal(['here']);
      } finally {
        await elsewhere.end();
        await other.drop();
      }
    });

    it('reports how long a writer of events has held it', async () => {
      expect(await feedHeldSeconds(harness.ctx.db)).to.equal(0);
      const slow = await begin();
      await recordEvents(slow, [event('slow')]);
      expect(await feedHeldSeconds(harness.ctx.db)).to.be.greaterThan(0);
      const [holder] = await listFeedHolders(harness.ctx.db);
      expect(holder).to.include({
        application_name: 'test',
        state: 'idle in transaction',
        writes_events: true,
      });
      expect(holder === undefined ? '' : holderText(holder)).to.match(
        /^pid \d+ \(test\), database \w+, idle in transaction, open for \d+ s, holds every feed back$/,
      );
      await slow.rollback();
      expect(await feedHeldSeconds(harness.ctx.db)).to.equal(0);
    });

    it('keeps the order of a payment whose next event comes from a transaction that began before the last', async () => {
      const { db } = harness.ctx;
      const id = await shop.create();
      const early = await begin();
      await early.raw('SELECT pg_current_xact_id()');
      await db.transaction((tx) => transition(tx, [see(id)], harness.ctx.now()));
      const between = await page();
      await transition(early, [see(id)], harness.ctx.now());
      await early.commit();
      await whole();
      const rest = await page(between.pagination.next_cursor);
      const sequences = [...between.data, ...rest.data].map(({ sequence }) => sequence);
      expect(sequences).to.deep.equal([1, 2, 3]);
    });

    // Without the horizon (`txid < xmin`) a reader passes numbers whose transactions are still open, and
    // never sees their events. Without the txid that outbox.ts takes from the previous event, a payment's
    // events are out of order.
    for (const beside of ['', ', beside a transaction that stays open'])
      it(`returns every committed event once to readers that page meanwhile, each payment in its order${beside}`, async () => {
        if (beside !== '') await (await begin()).raw('SELECT pg_current_xact_id()');
        const payments = await Promise.all(Array.from({ length: 6 }, () => shop.create()));
        const [one = ''] = payments;
        let writing = true;
        const write = async () => {
          for (let round = 0; round < 30; round += 1) await writeAtRandom(harness, payments);
        };
        const writers = Promise.all(Array.from({ length: 12 }, write)).finally(() => {
          writing = false;
        });
        const read = async (query: { payment_id?: string }) => {
          const received = [];
          let after: string | undefined;
          for (let isLast = false; !isLast;) {
            isLast = !writing;
            if (isLast && beside === '') await whole();
            const walk = await walkFeed(harness.ctx.db, harness.merchant.id, {
              ...query,
              limit: 7,
              ...(after === undefined ? {} : { after }),
            });
            received.push(...walk.events);
            after = walk.cursor;
          }
          return received;
        };
        const [all, own] = await Promise.all([read({}), read({ payment_id: one }), writers]);
        const stored = (await Promise.all(payments.map((id) => shop.events(id)))).flat();
        expect(stored.length).to.be.greaterThan(300);
        expect(all.map(({ id }) => id)).to.have.members(stored.map(({ id }) => id));
        for (const id of payments) {
          const sequences = all.filter(({ data }) => data.checkout.id === id).map(({ sequence }) => sequence);
          expect(sequences).to.deep.equal(Array.from(sequences, (_, i) => i + 1));
        }
        expect(own).to.deep.equal(all.filter(({ data }) => data.checkout.id === one));
      });
  });

  it("begins with the events from before the feed's migration, each payment in its order", async () => {
    const { db } = harness.ctx;
    const feed = loadMigration('0005_event_feed');
    const horizon = loadMigration('0014_feed_horizon');
    const { databaseUrl } = harness.ctx.config;
    await execute(databaseUrl, ...horizon.down, ...feed.down);
    // Two processes whose clocks differ: the second event has the earlier time.
    for (const [sequence, time] of [
      [1, '12:00:01'],
      [2, '12:00:00'],
      [3, '12:00:00'],
    ] as const)
      await db.raw(
        `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at)
         VALUES ('evt_' || ?::text, 'pay_1', ?, ?, 'checkout.created', ?, ?)`,
        [4 - sequence, harness.merchant.id, sequence, `{"name":${sequence}}`, `2026-01-31T${time}Z`],
      );
    await execute(databaseUrl, ...feed.statements, ...horizon.statements);
    await shop.create();
    await whole();
    expect(namesOf((await page()).data)).to.deep.equal([1, 2, 3, undefined]);
  });
});

/** One transaction that moves some payments, takes its time before and after, and ends in a commit or not. */
async function writeAtRandom({ ctx }: Harness, payments: readonly string[]): Promise<void> {
  const tx = await ctx.db.transaction();
  const dawdle = async () => {
    for (let trips = Math.random() * 15; trips > 0; trips -= 1) await tx.raw('SELECT 1');
  };
  if (Math.random() < 0.5) await tx.raw('SELECT pg_current_xact_id()');
  await dawdle();
  const some = payments.filter(() => Math.random() < 0.3);
  await transition(
    tx,
    some.map((paymentId) => ({ paymentId, trigger: 'transfer_seen' })),
    ctx.now(),
  );
  await dawdle();
  await (Math.random() < 0.2 ? tx.rollback() : tx.commit());
}
