import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { createWebhookClient, type WebhookClient } from '../../../../src/domain/webhooks/client/client.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import {
  callbackEndpointId,
  configure,
  deliveriesIn,
  deliveryJobIn,
  endpointIn,
  createPaymentsWithDeliveries,
  startHoldingReceiver,
  watched,
  type HoldingReceiver,
  LONG_RUN,
} from '../../../support/deliveries.ts';
import type { ReceivedRequest } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { until } from '../../../support/until.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

/** Every write of a row makes a version of it. */
const rowVersions = sql<{ version: string }>(
  'test_row_versions',
  `SELECT xmin || ' ' || ctid AS version FROM webhook_endpoints
   UNION ALL SELECT xmin || ' ' || ctid FROM scheduled_jobs
   UNION ALL SELECT xmin || ' ' || ctid FROM deliveries`,
);

describe("an endpoint's deliveries", () => {
  let harness: Harness;
  let shop: Shop;
  let client: WebhookClient;
  const receivers: HoldingReceiver[] = [];
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    client = createWebhookClient({
      allowPrivate: true,
      timeoutMs: 30_000,
      userAgent: 'payment-checkout/test',
    });
    await harness.work();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await client.close();
    await harness.close();
  });

  const listen = async (onRequest?: (request: ReceivedRequest) => () => void) => {
    const receiver = await startHoldingReceiver(onRequest);
    receivers.push(receiver);
    return receiver;
  };
  const send = (endpointId = harness.merchant.id, ctx = harness.ctx) =>
    deliverDue(ctx, client, endpointId, LONG_RUN);
  const runOnce = () => deliverDue(harness.ctx, client, harness.merchant.id, { runMs: 0 });
  const untilHeld = (receiver: HoldingReceiver, count: number) =>
    until(`${count} requests wait`, () => receiver.held === count);
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);

  it('are sent four at once at first, and no more, with any number of runs', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 12);
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

  it('of one payment are sent one by one, in order of sequence, beside those of others', async () => {
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
    const begin = harness.ctx.now().toISOString();
    const ids = [await shop.create(), await shop.create()];
    for (const id of ids) await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    await configure(harness, receiver.url);
    await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: begin }).expect(202);
    harness.advance(1);
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

  it('that hang cost no write while nothing changes, and a new one is sent beside them', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 1);
    const { ctx, lookedTwice } = watched(harness);
    const sending = send(undefined, ctx);
    await untilHeld(receiver, 1);
    const versions = () => run(harness.ctx.db, rowVersions, []);
    const before = await versions();
    await lookedTwice();
    expect(await versions()).to.deep.equal(before);
    await createPaymentsWithDeliveries(harness, shop, 1);
    await untilHeld(receiver, 2);
    receiver.open();
    await sending;
  });

  it('that hang do not delay those of other endpoints', async () => {
    const [hanging, sound] = [await listen(), await listen()];
    sound.open();
    await configure(harness, hanging.url);
    await createPaymentsWithDeliveries(harness, shop, 5);
    await createPaymentsWithDeliveries(harness, shop, 1, { callback_url: sound.url });
    const hung = send();
    await untilHeld(hanging, 4);
    await send(callbackEndpointId(harness.merchant.id, sound.url));
    expect(await statuses()).to.deep.equal([...Array.from({ length: 5 }, () => 'pending'), 'delivered']);
    hanging.open();
    await hung;
  });

  it('share an endpoint where they go to one URL, with any query', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    const { origin } = new URL(receiver.url);
    for (const callback_url of [`${origin}/a?b=c`, `${origin}/a#d`, `${origin}/a`, `${origin}/d?b=c`])
      await createPaymentsWithDeliveries(harness, shop, 1, { callback_url });
    await createPaymentsWithDeliveries(harness, shop, 1);
    const own = callbackEndpointId(harness.merchant.id, `${origin}/a`);
    expect((await deliveriesIn(harness)).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      own,
      own,
      own,
      callbackEndpointId(harness.merchant.id, `${origin}/d`),
      harness.merchant.id,
    ]);
  });

  it('of a leased endpoint are due when the lease ends, and sent at once when it is released', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 1);
    const sending = send();
    await untilHeld(receiver, 1);
    await send();
    const { leased_until } = await endpointIn(harness);
    expect(await deliveryJobIn(harness)).to.deep.equal({
      visible_at: leased_until,
    });
    receiver.open();
    await sending;
    expect(await endpointIn(harness)).to.include({ leased_by: null, leased_until: null });
    expect(await deliveryJobIn(harness)).to.equal(null);
  });

  it('are due when the next one is, once a run is over: no other run looks in vain', async () => {
    const receiver = await listen();
    receiver.status = 500;
    receiver.open();
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 1);
    await runOnce();
    const [delivery] = await deliveriesIn(harness);
    const visible_at = delivery?.next_attempt_at ?? null;
    expect(visible_at?.getTime()).to.be.greaterThan(harness.ctx.now().getTime());
    expect(await deliveryJobIn(harness)).to.deep.equal({ visible_at });
    expect(await endpointIn(harness)).to.include({ leased_by: null, leased_until: null });
  });

  it('are due at once where a run is over before all were sent, and where one comes meanwhile', async () => {
    const receiver = await listen();
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 6);
    const isDue = async () => {
      const { visible_at } = (await deliveryJobIn(harness)) ?? {};
      return visible_at !== undefined && visible_at <= harness.ctx.now();
    };
    const first = runOnce();
    await untilHeld(receiver, 4);
    receiver.release(4);
    await first;
    expect(await isDue(), 'two are left').to.equal(true);
    const second = runOnce();
    await untilHeld(receiver, 2);
    await createPaymentsWithDeliveries(harness, shop, 1);
    receiver.open();
    await second;
    expect(await isDue(), 'one came').to.equal(true);
    await runOnce();
    expect(await statuses()).to.deep.equal(Array.from({ length: 7 }, () => 'delivered'));
    expect(await deliveryJobIn(harness)).to.equal(null);
  });
});
