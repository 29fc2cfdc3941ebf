import { expect } from 'chai';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { acquireEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/acquire.ts';
import { releaseEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/release.ts';
import { countStatements } from '../../../support/counted-db.ts';
import {
  callbackEndpointId,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
  endpointIn,
} from '../../../support/deliveries.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const ENDPOINTS = 12;

describe('runs of endpoints that begin together', () => {
  let harness: Harness;
  let receiver: Receiver;
  let endpointIds: string[];
  beforeEach(async () => {
    harness = await createHarness();
    receiver = await startReceiver();
    const shop = await openShop(harness);
    await configure(harness, receiver.url);
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.url}/${n}`);
    for (const callback_url of urls) await createPaymentsWithDeliveries(harness, shop, 1, { callback_url });
    endpointIds = urls.map((url) => callbackEndpointId(harness.merchant.id, url));
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const acquire = (endpointId: string, owner: string, db = harness.ctx.db) =>
    acquireEndpoint({ ...harness.ctx, db }, { endpointId, owner }, [], null);

  it('share their statements, and each sends what is due at its endpoint', async () => {
    const { db, counts } = countStatements(harness.ctx.db);
    const ctx = { ...harness.ctx, db };
    await Promise.all(endpointIds.map((id) => deliverDue(ctx, harness.adapters.webhooks, id)));
    const paths = receiver.requests.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(ENDPOINTS);
    expect(paths).to.have.length(ENDPOINTS);
    expect(new Set((await deliveriesIn(harness)).map(({ status }) => status))).to.deep.equal(
      new Set(['delivered']),
    );
    for (const id of endpointIds) expect((await endpointIn(harness, id)).leased_by).to.equal(null);
    // One acquires them all. Their responses come in several turns of the event loop.
    expect(counts.statements).to.be.below(2 * ENDPOINTS);
  });

  it('are acquired by one transaction, each with its own deliveries', async () => {
    const { db, counts } = countStatements(harness.ctx.db);
    const acquired = await Promise.all(endpointIds.map((id) => acquire(id, `owner of ${id}`, db)));
    expect(counts.statements).to.equal(1);
    const deliveries = await deliveriesIn(harness);
    for (const [place, id] of endpointIds.entries())
      expect(acquired[place]?.due.map((due) => due.id)).to.deep.equal(
        deliveries.filter(({ endpoint_id }) => endpoint_id === id).map((delivery) => delivery.id),
      );
  });

  it('get an endpoint that several ask for once', async () => {
    const [id = ''] = endpointIds;
    const acquired = await Promise.all(['a', 'b', 'c'].map((owner) => acquire(id, owner)));
    const [owner, ...others] = ['a', 'b', 'c'].filter((_, place) => acquired[place] !== null);
    expect(others).to.deep.equal([]);
    expect((await endpointIn(harness, id)).leased_by).to.equal(owner);
  });

  it('leave an endpoint to its owner, who renews the lease, whoever asks first', async () => {
    const [id = ''] = endpointIds;
    await acquire(id, 'owner');
    const acquired = await Promise.all(['a', 'owner', 'z'].map((owner) => acquire(id, owner)));
    expect(acquired.map((endpoint) => endpoint !== null)).to.deep.equal([false, true, false]);
    expect((await endpointIn(harness, id)).leased_by).to.equal('owner');
  });

  it('release their endpoints by one statement, but for one whose job was scheduled meanwhile', async () => {
    const ownerOf = (id: string) => `owner of ${id}`;
    const acquired = await Promise.all(endpointIds.map((id) => acquire(id, ownerOf(id))));
    const [late = ''] = endpointIds;
    await harness.ctx.db.raw('UPDATE scheduled_jobs SET version = version + 1 WHERE key = ?', [late]);
    const { db, counts } = countStatements(harness.ctx.db);
    const released = await Promise.all(
      endpointIds.map((endpointId, place) => {
        const endpoint = acquired[place];
        if (!endpoint) throw new Error(`${endpointId} was not acquired`);
        return releaseEndpoint({ ...harness.ctx, db }, { endpointId, owner: ownerOf(endpointId) }, endpoint);
      }),
    );
    expect(counts.statements).to.equal(1);
    expect(released).to.deep.equal(endpointIds.map((id) => id !== late));
    expect((await endpointIn(harness, late)).leased_by).to.equal(ownerOf(late));
  });
});

describe('a run of one endpoint', () => {
  let harness: Harness;
  let receiver: Receiver;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    receiver = await startReceiver();
    shop = await openShop(harness);
    await configure(harness, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  it('asks for what is due next with the record of what was delivered, and ends with that of the last', async () => {
    const id = await shop.create();
    harness.advance(3_600);
    await expirePayments(harness.ctx, harness.adapters, [id]);
    const events = (await shop.events(id)).map((event) => event.id);
    await dispatchEvents(harness.ctx, events);
    const { db, counts } = countStatements(harness.ctx.db);
    await deliverDue({ ...harness.ctx, db }, harness.adapters.webhooks, harness.merchant.id);
    // One payment has one request in flight, so the second event goes after the first one's response.
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal(events);
    expect(counts.statements).to.equal(1 + events.length);
    expect((await endpointIn(harness)).leased_by).to.equal(null);
  });

  it('reads its endpoint once, however much is due there', async () => {
    await createPaymentsWithDeliveries(harness, shop, 4);
    const lease = { endpointId: harness.merchant.id, owner: 'owner' };
    const plans = await explain(harness.ctx.db, async (tx) => {
      const acquired = await acquireEndpoint({ ...harness.ctx, db: tx }, lease, [], null);
      expect(acquired?.due).to.have.length(4);
    });
    const reading = plans.filter((plan) => !plan.includes('LockRows'));
    expect(reading).to.have.length(plans.length / 2);
    for (const plan of reading) expect(rowsRead(plan, 'scheduled_jobs'), plan).to.equal(1);
  });
});
