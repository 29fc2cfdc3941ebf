import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { createWebhookClient, type WebhookClient } from '../../../../src/domain/webhooks/client/client.ts';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { runOne, sql } from '../../../../src/platform/postgres/db.ts';
import {
  configure,
  deliveriesIn,
  endpointIn,
  fanOutPayments,
  startHoldingReceiver,
  watched,
  type HoldingReceiver,
} from '../../../support/deliveries.ts';
import type { ReceivedRequest } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { until } from '../../../support/until.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const dueWork = sql<{ visible_at: Date }>(
  'test_due_endpoint',
  `SELECT visible_at FROM scheduled_jobs WHERE job = 'webhook.deliver' AND key = $1`,
);

describe("an endpoint's deliveries", () => {
  let harness: Harness;
  let shop: Shop;
  let exchange: WebhookClient;
  const receivers: HoldingReceiver[] = [];
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    exchange = createWebhookClient({
      allowPrivate: true,
      timeoutMs: 30_000,
      userAgent: 'payment-checkout/test',
    });
    await harness.work();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await exchange.close();
    await harness.close();
  });

  const listen = async (onRequest?: (request: ReceivedRequest) => () => void) => {
    const receiver = await startHoldingReceiver(onRequest);
    receivers.push(receiver);
    return receiver;
  };
  const send = (endpointId = harness.merchant.id, ctx = harness.ctx) => deliverDue(ctx, exchange, endpointId);
  const untilHeld = (receiver: HoldingReceiver, count: number) =>
    until(`${count} requests wait`, () => receiver.held === count);
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);

  it('are sent four at once at first, and no more, however many runs there are', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await fanOutPayments(harness, shop, 12);
    const { ctx, lookedTwice } = watched(harness);
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
    await configure(harness, receiver.url, false);
    const ids = [await shop.create(), await shop.create()];
    for (const id of ids) await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    await configure(harness, receiver.url);
    const events = await Promise.all(ids.map((id) => shop.events(id)));
    await dispatchEvents(
      harness.ctx,
      events.flat().map(({ id }) => id),
    );
    const { ctx, lookedTwice } = watched(harness);
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
    await configure(harness, hanging.url);
    await fanOutPayments(harness, shop, 5);
    await fanOutPayments(harness, shop, 1, { callback_url: sound.url });
    const hung = send();
    await untilHeld(hanging, 4);
    await send(`${harness.merchant.id} ${sound.url}`);
    expect(await statuses()).to.deep.equal([...Array.from({ length: 5 }, () => 'pending'), 'delivered']);
    hanging.open();
    await hung;
  });

  it('belong together where they go to one URL, whatever its query', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    const { origin } = new URL(receiver.url);
    for (const callback_url of [`${origin}/a?b=c`, `${origin}/a#d`, `${origin}/a`, `${origin}/d?b=c`])
      await fanOutPayments(harness, shop, 1, { callback_url });
    await fanOutPayments(harness, shop, 1);
    const own = `${harness.merchant.id} ${origin}/a`;
    expect((await deliveriesIn(harness)).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      own,
      own,
      own,
      own.replace('/a', '/d'),
      harness.merchant.id,
    ]);
  });

  it('that a run finds held stay due for when the hold would end, and come at once when it is given back', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await fanOutPayments(harness, shop, 1);
    const sending = send();
    await untilHeld(receiver, 1);
    await send();
    const { leased_until } = await endpointIn(harness);
    expect(await runOne(harness.ctx.db, dueWork, [harness.merchant.id])).to.deep.equal({
      visible_at: leased_until,
    });
    receiver.open();
    await sending;
    expect(await endpointIn(harness)).to.include({ leased_by: null, leased_until: null });
    expect(await runOne(harness.ctx.db, dueWork, [harness.merchant.id])).to.equal(null);
  });
});
