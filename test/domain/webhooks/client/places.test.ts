import { expect } from 'chai';
import { PLACES, placesOf, type GiveBack } from '../../../../src/domain/webhooks/client/places.ts';
import type { WebhookClient } from '../../../../src/domain/webhooks/client/client.ts';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import {
  createPaymentsWithDeliveries,
  deliveriesIn,
  deliveryJobIn,
  eachHoldingReceiver,
  type HoldingReceiver,
} from '../../../support/deliveries.ts';
import { expectError } from '../../../support/http.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const client = (): WebhookClient => ({
  post: () => Promise.reject(new Error('nothing is sent')),
  close: () => Promise.resolve(),
});

const isTaken = (place: GiveBack | number) => typeof place === 'function';
const giveBackTo = (place: GiveBack | number | undefined, isDelivered: boolean, now = NOW) => {
  if (typeof place === 'function') place(isDelivered, now);
};

describe('the places of a merchant at an origin', () => {
  const take = (places: ReturnType<typeof placesOf>, count: number, url = 'https://shop.example/a') =>
    Array.from({ length: count }, () => places.take('mer_1', url, NOW));

  it('are shared by all its URLs there, and by no other origin or merchant', () => {
    const places = placesOf(client());
    expect(take(places, PLACES).every(isTaken)).to.equal(true);
    expect(isTaken(places.take('mer_1', 'https://SHOP.example:443/other?x', NOW))).to.equal(false);
    for (const url of ['http://shop.example/', 'https://shop.example:8443/', 'https://other.example/'])
      expect(isTaken(places.take('mer_1', url, NOW)), url).to.equal(true);
    expect(isTaken(places.take('mer_2', 'https://shop.example/a', NOW))).to.equal(true);
    expect(isTaken(placesOf(client()).take('mer_1', 'https://shop.example/a', NOW))).to.equal(true);
  });

  it('are free again at once after a 2xx, and five seconds after anything else', () => {
    const places = placesOf(client());
    const taken = take(places, PLACES);
    giveBackTo(taken[0], true);
    expect(take(places, 2).map(isTaken)).to.deep.equal([true, false]);
    for (const place of taken.slice(1)) giveBackTo(place, false);
    // One was taken again, and is in flight.
    expect(take(places, 1).map(isTaken)).to.deep.equal([false]);
    expect(isTaken(places.take('mer_1', 'https://shop.example/a', after(4.999)))).to.equal(false);
    expect(isTaken(places.take('mer_1', 'https://shop.example/a', after(5)))).to.equal(true);
  });

  it('are asked for again by 50 a second, after a second, however many find none', () => {
    const places = placesOf(client());
    take(places, PLACES);
    expect(take(places, 3)).to.deep.equal([1, 1.02, 1.04]);
    expect(take(places, 50_000).at(-1)).to.be.closeTo(1_001, 0.1);
  });
});

describe('an origin at which all places are taken', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  let giveBack: (() => void)[];
  eachHoldingReceiver((opened) => {
    ({ harness, shop, receiver } = opened);
    receiver.open();
    const { ctx, merchant, adapters } = harness;
    const places = placesOf(adapters.webhooks);
    giveBack = Array.from({ length: PLACES }, () => {
      const place = places.take(merchant.id, receiver.url, ctx.systemNow());
      return () => giveBackTo(place, true, ctx.systemNow());
    });
  });

  it('is sent nothing, and what is due waits some seconds without an attempt', async () => {
    await createPaymentsWithDeliveries(harness, shop, 6);
    const due = harness.ctx.now();
    await deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id);
    expect(receiver.requests).to.deep.equal([]);
    const deliveries = await deliveriesIn(harness);
    expect(deliveries.map(({ status, attempts }) => `${status} ${attempts}`)).to.deep.equal(
      deliveries.map(() => 'pending 0'),
    );
    const seconds = ((await deliveryJobIn(harness))?.visible_at.getTime() ?? NaN) - due.getTime();
    expect(seconds / 1000).to.be.within(1, 5);
    for (const give of giveBack) give();
    harness.advance(5);
    await harness.work();
    expect(receiver.requests).to.have.length(6);
    expect(new Set((await deliveriesIn(harness)).map(({ attempts }) => attempts))).to.deep.equal(
      new Set([1]),
    );
  });

  it('gets no test event and no receiver check either', async () => {
    for (const path of ['test', 'examine']) {
      const response = await harness.api('post', `/v1/webhooks/${path}`).send({});
      expectError(harness, response, 429);
      expect(response.headers['retry-after']).to.equal('5');
    }
    expect(receiver.requests).to.deep.equal([]);
    for (const give of giveBack) give();
    await harness.api('post', '/v1/webhooks/test').send({}).expect(200);
  });
});
