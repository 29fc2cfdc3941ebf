import { expect } from 'chai';
import type { Client } from 'pg';
import { fanOutEvents } from '../../../src/domain/webhooks/fan-out.ts';
import { keepPartitions } from '../../../src/domain/webhooks/partitions.ts';
import { run, sql, type Db, type Tx } from '../../../src/platform/db.ts';
import { configure, deliveriesIn, fanOutPayments } from '../../support/deliveries.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { play } from '../../support/scenarios.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

const DAY = 86_400;
const TABLES = ['deliveries', 'delivery_attempts'];
const partitions = sql<{ name: string }>(
  'test_partitions',
  `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
);
const places = sql<{ place: string }>(
  'test_places',
  `SELECT tableoid::regclass::text AS place FROM deliveries UNION ALL SELECT tableoid::regclass::text FROM delivery_attempts`,
);
const placesOfPayments = sql<{ place: string }>(
  'test_places_of_payments',
  'SELECT tableoid::regclass::text AS place FROM deliveries WHERE payment_id = ANY ($1) ORDER BY id',
);

describe('the partitions of deliveries and attempts', () => {
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    world = await createWorld();
    shop = await openShop(world);
    receiver = await startReceiver();
    await configure(world, receiver.url);
    await keepPartitions(world.ctx);
  });
  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  const namesOf = async (table: string) =>
    (await run(world.ctx.db, partitions, [table])).map(({ name }) => name);
  const placesOfRows = async () => (await run(world.ctx.db, places, [])).map(({ place }) => place);
  /** One payment's event, sent to the receiver. */
  const deliver = async () => {
    await fanOutPayments(world, shop, 1);
    await world.work();
  };
  const keep = () => keepPartitions(world.ctx);

  it('are there for three weeks to come, from Monday to Monday, and a default for the rest', async () => {
    // It is Saturday, 31 January 2026.
    for (const table of TABLES)
      expect(await namesOf(table)).to.deep.equal([
        `${table}_20260202`,
        `${table}_20260209`,
        `${table}_20260216`,
        `${table}_default`,
      ]);
  });

  it('stay as they are when it is done again, and by two at once', async () => {
    const before = await Promise.all(TABLES.map(namesOf));
    await keep();
    await Promise.all([keep(), keep()]);
    expect(await Promise.all(TABLES.map(namesOf))).to.deep.equal(before);
  });

  it('take the deliveries of their week', async () => {
    await deliver();
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_default`));
    // A second is over; this one is the last of Sunday.
    world.advance(36 * 3600 - 2);
    const sunday = await fanOutPayments(world, shop, 1);
    const monday = await fanOutPayments(world, shop, 1);
    expect(await run(world.ctx.db, placesOfPayments, [[...sunday, ...monday]])).to.deep.equal([
      { place: 'deliveries_default' },
      { place: 'deliveries_20260202' },
    ]);
  });

  it('go with all that is in them once all of it is older than 30 days', async () => {
    world.advance(2 * DAY);
    await deliver();
    // The week ends on 9 February; 30 days later is 11 March, 00:00.
    world.advance((Date.parse('2026-03-11T00:00:00Z') - world.ctx.now().getTime()) / 1000 - 0.001);
    await keep();
    expect(await placesOfRows()).to.deep.equal(TABLES.map((table) => `${table}_20260202`));
    world.advance(0.001);
    await keep();
    expect(await placesOfRows()).to.deep.equal([]);
    for (const table of TABLES) expect(await namesOf(table)).to.not.include(`${table}_20260202`);
  });

  it('leave in the default nothing that is older than 30 days', async () => {
    await deliver();
    world.advance(30 * DAY - 2);
    await keep();
    expect(await placesOfRows()).to.have.length(2);
    world.advance(3);
    await keep();
    expect(await placesOfRows()).to.deep.equal([]);
  });

  it('keep what is replayed of an event that is older, until the replay itself is', async () => {
    const [event] = await shop.events(await shop.create());
    world.advance(40 * DAY);
    await fanOutEvents(world.ctx, [event?.id ?? '']);
    await keep();
    expect(await deliveriesIn(world)).to.have.length(1);
    await world.work();
    world.advance(29 * DAY);
    await keep();
    const rows = await deliveriesIn(world);
    expect(rows.find(({ event_id }) => event_id === event?.id)).to.include({ status: 'delivered' });
    world.advance(2 * DAY);
    await keep();
    expect((await deliveriesIn(world)).map(({ event_id }) => event_id)).to.not.include(event?.id);
  });

  it('keep what belongs to a payment in a world of its own, whose time says nothing of its age', async () => {
    const { told } = await play(world, { story: 'paid' });
    world.advance(31 * DAY);
    await keep();
    expect(await deliveriesIn(world)).to.have.length(told.deliveries.length);
    await world.ctx.db.raw('DELETE FROM events');
    await keep();
    expect(await placesOfRows()).to.deep.equal([]);
  });

  it('are made without reading the default under their lock: it says beforehand that it holds nothing of theirs', async () => {
    const notices: string[] = [];
    const listening = new WeakSet<Client>();
    const transaction = (work: (tx: Tx) => Promise<unknown>) =>
      world.ctx.db.transaction(async (tx) => {
        const client = await (tx.client as { acquireConnection(): Promise<Client> }).acquireConnection();
        if (!listening.has(client)) client.on('notice', ({ message }) => void notices.push(message ?? ''));
        listening.add(client);
        await tx.raw('SET LOCAL client_min_messages = debug1');
        await work(tx);
      });
    world.advance(7 * DAY);
    await keepPartitions({ ...world.ctx, db: { transaction, client: world.ctx.db.client } as unknown as Db });
    for (const table of TABLES)
      expect(notices.join('\n')).to.include(
        `updated partition constraint for default partition "${table}_default" is implied by existing constraints`,
      );
  });

  it('do not make readers and writers wait: what cannot be had at once is left, and done the next time', async () => {
    world.advance(7 * DAY);
    const begin = performance.now();
    await world.ctx.db.transaction(async (reader) => {
      await deliveriesIn({ ...world, ctx: { ...world.ctx, db: reader } });
      const error = await keep().then(
        () => 'no error',
        ({ message }: Error) => message,
      );
      expect(error).to.include('lock timeout');
      await fanOutPayments(world, shop, 1);
    });
    expect(performance.now() - begin).to.be.lessThan(3_000);
    expect(await namesOf('deliveries')).to.not.include('deliveries_20260223');
    await keep();
    for (const table of TABLES) expect(await namesOf(table)).to.include(`${table}_20260223`);
  });
});
