import { expect } from 'chai';
import { deliverDue } from '../../../src/domain/webhooks/deliver.ts';
import { createExchange, type Exchange } from '../../../src/domain/webhooks/exchange.ts';
import { fanOutEvents } from '../../../src/domain/webhooks/fan-out.ts';
import { runOne, sql } from '../../../src/platform/db.ts';
import {
  configure,
  deliveriesIn,
  endpointIn,
  fanOutPayments,
  startHoldingReceiver,
  watched,
  type HoldingReceiver,
} from '../../support/deliveries.ts';
import type { ReceivedRequest } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { until } from '../../support/until.ts';
import { createWorld, type World } from '../../support/world.ts';

const dueWork = sql<{ visible_at: Date }>(
  'test_due_endpoint',
  `SELECT visible_at FROM due_work WHERE job = 'webhook.deliver' AND key = $1`,
);

describe("an endpoint's deliveries", () => {
  let world: World;
  let shop: Shop;
  let exchange: Exchange;
  const receivers: HoldingReceiver[] = [];
  beforeEach(async () => {
    world = await createWorld();
    shop = await openShop(world);
    exchange = createExchange({ allowPrivate: true, timeoutMs: 30_000, userAgent: 'payment-checkout/test' });
    await world.work();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await exchange.close();
    await world.close();
  });

  const listen = async (onRequest?: (request: ReceivedRequest) => () => void) => {
    const receiver = await startHoldingReceiver(onRequest);
    receivers.push(receiver);
    return receiver;
  };
  const send = (endpointId = world.merchant.id, ctx = world.ctx) => deliverDue(ctx, exchange, endpointId);
  const untilHeld = (receiver: HoldingReceiver, count: number) =>
    until(`${count} requests wait`, () => receiver.held === count);
  const statuses = async () => (await deliveriesIn(world)).map(({ status }) => status);

  it('are sent four at once at first, and no more, however many runs there are', async () => {
    const receiver = await listen();
    await configure(world, receiver.url);
    await fanOutPayments(world, shop, 12);
    const { ctx, lookedTwice } = watched(world);
    const first = send(undefined, ctx);
    await untilHeld(receiver, 4);
    await Promise.all([send(), send(), send()]);
    await lookedTwice();
    expect(receiver.most).to.equal(4);
    receiver.open();
    await first;
    expect(await statuses()).to.deep.equal(Array.from({ length: 12 }, () => 'delivered'));
    expect(receiver.requests).to.have.length(12);
  });

  it('of one payment are sent one after the other, in order of sequence, beside those of others', async () => {
    const posted: { payment: string; sequence: number; overlapped: boolean }[] = [];
    const inFlight = new Set<string>();
    const receiver = await listen(({ rawBody }) => {
      const { sequence, data } = JSON.parse(rawBody.toString());
      const payment: string = data.checkout.id;
      posted.push({ payment, sequence, overlapped: inFlight.has(payment) });
      inFlight.add(payment);
      return () => inFlight.delete(payment);
    });
    await configure(world, receiver.url, false);
    const ids = [await shop.create(), await shop.create()];
    for (const id of ids) await shop.pay(id);
    await world.work();
    await shop.mine(12);
    await configure(world, receiver.url);
    const events = await Promise.all(ids.map((id) => shop.events(id)));
    await fanOutEvents(
      world.ctx,
      events.flat().map(({ id }) => id),
    );
    const { ctx, lookedTwice } = watched(world);
    const sending = send(undefined, ctx);
    await untilHeld(receiver, 2);
    await lookedTwice();
    expect(receiver.most, 'one of each').to.equal(2);
    receiver.open();
    await sending;
    expect(posted.filter(({ overlapped }) => overlapped)).to.deep.equal([]);
    for (const id of ids)
      expect(posted.filter(({ payment }) => payment === id).map(({ sequence }) => sequence)).to.deep.equal([
        1, 2, 3, 4,
      ]);
  });

  it('that hang hold up nobody else', async () => {
    const [hanging, sound] = [await listen(), await listen()];
    sound.open();
    await configure(world, hanging.url);
    await fanOutPayments(world, shop, 5);
    await fanOutPayments(world, shop, 1, { callback_url: sound.url });
    const hung = send();
    await untilHeld(hanging, 4);
    await send(`${world.merchant.id} ${sound.url}`);
    expect(await statuses()).to.deep.equal([...Array.from({ length: 5 }, () => 'pending'), 'delivered']);
    hanging.open();
    await hung;
  });

  it('belong together where they go to one URL, whatever its query', async () => {
    const receiver = await listen();
    await configure(world, receiver.url);
    const { origin } = new URL(receiver.url);
    for (const callback_url of [`${origin}/a?b=c`, `${origin}/a#d`, `${origin}/a`, `${origin}/d?b=c`])
      await fanOutPayments(world, shop, 1, { callback_url });
    await fanOutPayments(world, shop, 1);
    const own = `${world.merchant.id} ${origin}/a`;
    expect((await deliveriesIn(world)).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      own,
      own,
      own,
      own.replace('/a', '/d'),
      world.merchant.id,
    ]);
  });

  it('that a run finds held stay due for when the hold would end, and come at once when it is given back', async () => {
    const receiver = await listen();
    await configure(world, receiver.url);
    await fanOutPayments(world, shop, 1);
    const sending = send();
    await untilHeld(receiver, 1);
    await send();
    const { held_until } = await endpointIn(world);
    expect(await runOne(world.ctx.db, dueWork, [world.merchant.id])).to.deep.equal({
      visible_at: held_until,
    });
    receiver.open();
    await sending;
    expect(await endpointIn(world)).to.include({ held_by: null, held_until: null });
    expect(await runOne(world.ctx.db, dueWork, [world.merchant.id])).to.equal(null);
  });
});
