import { expect } from 'chai';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { firstIdAt } from '../../../../src/platform/values/ids.ts';
import { poolOf, run, sql, type Tx } from '../../../../src/platform/postgres/db.ts';
import { configure, deliveriesIn, createPaymentsWithDeliveries } from '../../../support/deliveries.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { postScenario } from '../../../support/scenarios.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { timed } from '../../../support/loop-clock.ts';

const DAY = 86_400;
const TABLES = ['deliveries', 'delivery_attempts'];
const partitions = sql<{ name: string }, { table: string }>(
  'test_partitions',
  (p) => `
   SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ${p.table}::regclass
   ORDER BY 1`,
);
const places = sql<{ place: string }>(
  'test_places',
  `SELECT tableoid::regclass::text AS place FROM deliveries
   UNION ALL SELECT tableoid::regclass::text FROM delivery_attempts`,
);
const placesOfPayments = sql<{ place: string }, { paymentIds: readonly string[] }>(
  'test_places_of_payments',
  (p) => `
   SELECT tableoid::regclass::text AS place FROM deliveries
   WHERE payment_id = ANY (${p.paymentIds}) ORDER BY id`,
);

describe('the partitions of deliveries and attempts', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    receiver = await startReceiver();
    await configure(harness, receiver.url);
    await maintainPartitions(harness.ctx);
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const namesOf = async (table: string) =>
    (await run(harness.ctx.db, partitions, { table })).map(({ name }) => name);
  const placesOfRows = async () => (await run(harness.ctx.db, places, [])).map(({ place }) => place);
  /** One payment's event, sent to the receiver. */
  const deliver = async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.work();
  };
  const maintain = () => maintainPartitions(harness.ctx);

  it('exist for the coming three weeks, from Monday to Monday, and a default for the rest', async () => {
    // The clock is at Saturday, 31 January 2026.
    for (const table of TABLES)
      expect(await namesOf(table)).to.deep.equal([
        `${table}_20260202`,
        `${table}_20260209`,
        `${table}_20260216`,
        `${table}_default`,
      ]);
  });

  it('stay unchanged when maintenance runs again, and twice at once', async () => {
    const before = await Promise.all(TABLES.map(namesOf));
    await maintain();
    await Promise.all([maintain(), maintain()]);
    expect(await Promise.all(TABLES.map(namesOf))).to.deep.equal(before);
  });

  it('store the deliveries of their week', async () => {
    await deliver();
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_default`));
    // One second has passed; this one is the last of Sunday.
    harness.advance(36 * 3600 - 2);
    const sunday = await createPaymentsWithDeliveries(harness, shop, 1);
    const monday = await createPaymentsWithDeliveries(harness, shop, 1);
    expect(await run(harness.ctx.db, placesOfPayments, { paymentIds: [...sunday, ...monday] })).to.deep.equal(
      [{ place: 'deliveries_default' }, { place: 'deliveries_20260202' }],
    );
  });

  it('are dropped once all their rows are older than 30 days', async () => {
    harness.advance(2 * DAY);
    await deliver();
    // The week ends on 9 February; 30 days later is 11 March, 00:00.
    harness.advance((Date.parse('2026-03-11T00:00:00Z') - harness.ctx.now().getTime()) / 1000 - 0.001);
    await maintain();
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_20260202`));
    harness.advance(0.001);
    await maintain();
    expect(await placesOfRows()).to.deep.equal([]);
    for (const table of TABLES) expect(await namesOf(table)).to.not.include(`${table}_20260202`);
  });

  it('leave no row in the default that is older than 30 days', async () => {
    await deliver();
    harness.advance(30 * DAY - 2);
    await maintain();
    expect(await placesOfRows()).to.have.length(2);
    harness.advance(3);
    await maintain();
    expect(await placesOfRows()).to.deep.equal([]);
  });

  it('keep the replayed delivery of an older event until the replay itself is older', async () => {
    const [event] = await shop.events(await shop.create());
    harness.advance(40 * DAY);
    await dispatchEvents(harness.ctx, [event?.id ?? '']);
    await maintain();
    expect(await deliveriesIn(harness)).to.have.length(1);
    await harness.work();
    harness.advance(29 * DAY);
    await maintain();
    const rows = await deliveriesIn(harness);
    expect(rows.find(({ event_id }) => event_id === event?.id)).to.include({ status: 'delivered' });
    harness.advance(2 * DAY);
    await maintain();
    expect((await deliveriesIn(harness)).map(({ event_id }) => event_id)).to.not.include(event?.id);
  });

  it('keep the deliveries of a payment with a test clock for 30 days, whatever its time says', async () => {
    const { report } = await postScenario(harness, { story: 'paid' });
    await sweepEvents(harness.ctx);
    harness.advance(30 * DAY - 1);
    await maintain();
    expect(await deliveriesIn(harness)).to.have.length(report.deliveries.length);
    harness.advance(2);
    await maintain();
    expect(await placesOfRows()).to.deep.equal([]);
  });

  it('keep the deliveries of a payment whose clock is ahead for 30 days, not as long as its events', async () => {
    const [id = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.work();
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '2h' }).expect(200);
    harness.advance(1);
    await sweepEvents(harness.ctx);
    expect(await deliveriesIn(harness)).to.have.length(2);
    harness.advance(31 * DAY);
    await maintain();
    expect(await placesOfRows()).to.deep.equal([]);
    expect(await shop.events(id)).to.have.length(2);
  });

  it('go on when an id is dated ahead: its row moves to the partition of its week', async () => {
    await deliver();
    const ahead = firstIdAt('dlv', addSeconds(harness.ctx.now(), 25 * DAY));
    await harness.ctx.db.raw('UPDATE deliveries SET id = ?', [ahead]);
    await harness.ctx.db.raw('UPDATE delivery_attempts SET delivery_id = ?', [ahead]);
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_default`));
    harness.advance(7 * DAY);
    await maintain();
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_20260223`));
    for (const table of TABLES) expect(await namesOf(table)).to.include(`${table}_20260223`);
    expect((await deliveriesIn(harness)).map(({ id, status }) => ({ id, status }))).to.deep.equal([
      { id: ahead, status: 'delivered' },
    ]);
  });

  it('lose no pending delivery when they are dropped, and none of its attempts', async () => {
    harness.advance(2 * DAY);
    const failing = await startReceiver({ answer: () => ({ status: 500 }) });
    await configure(harness, failing.url);
    const [id = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.work();
    await configure(harness, receiver.url);
    await deliver();
    await failing.close();
    await harness.ctx
      .db('deliveries')
      .where({ status: 'pending' })
      .update({ next_attempt_at: addSeconds(harness.ctx.now(), 60 * DAY) });
    expect(await placesOfRows()).to.have.length(4);
    harness.advance(40 * DAY);
    await maintain();
    for (const table of TABLES) expect(await namesOf(table)).to.not.include(`${table}_20260202`);
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_default`));
    harness.advance(21 * DAY);
    await harness.work();
    const [created] = await shop.events(id);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.include(created?.id);
  });

  it('are kept in order table by table: a step that fails stops no other', async () => {
    // The partition of the next week cannot be created.
    harness.advance(7 * DAY);
    await harness.ctx.db.raw('CREATE TABLE deliveries_20260223 (id text)');
    const error = await maintain().then(
      () => 'no error',
      ({ message }: Error) => message,
    );
    expect(error).to.include('already exists');
    expect(await namesOf('delivery_attempts')).to.include('delivery_attempts_20260223');
    await harness.ctx.db.raw('DROP TABLE deliveries_20260223');
    await maintain();
    expect(await namesOf('deliveries')).to.include('deliveries_20260223');
  });

  it('are created without a scan of the default under a lock: a constraint excludes their rows', async () => {
    const notices: string[] = [];
    const { db } = harness.ctx;
    const note = ({ message }: { message?: string | undefined }) => void notices.push(message ?? '');
    const listened = async (statements: string) => {
      const connection = await poolOf(db).connect();
      connection.client.on('notice', note);
      const listening = async (tx: Tx) => {
        await tx.raw('SET LOCAL client_min_messages = debug1');
        await tx.raw(statements);
      };
      await db.transaction(listening, { connection });
      connection.client.off('notice', note);
      connection.release();
    };
    harness.advance(7 * DAY);
    // What moves rows asks the pool for several statements at once.
    const listener = new Proxy(db, {
      get: (pool, name) =>
        name === 'raw'
          ? (statements: string) =>
              statements.startsWith('SET LOCAL') ? listened(statements) : db.raw(statements)
          : (Reflect.get(pool, name) as unknown),
    });
    await maintainPartitions({ ...harness.ctx, db: listener });
    for (const table of TABLES)
      expect(notices.join('\n')).to.include(
        `updated partition constraint for default partition "${table}_default" is implied by existing constraints`,
      );
  });

  it('do not block readers and writers: maintenance without the lock is left to the next run', async () => {
    harness.advance(7 * DAY);
    const { ms } = await timed(() =>
      harness.ctx.db.transaction(async (reader) => {
        await deliveriesIn({ ...harness, ctx: { ...harness.ctx, db: reader } });
        const error = await maintain().then(
          () => 'no error',
          ({ message }: Error) => message,
        );
        expect(error).to.include('lock timeout');
        await createPaymentsWithDeliveries(harness, shop, 1);
      }),
    );
    expect(ms).to.be.lessThan(3_000);
    expect(await namesOf('deliveries')).to.not.include('deliveries_20260223');
    await maintain();
    for (const table of TABLES) expect(await namesOf(table)).to.include(`${table}_20260223`);
  });
});
