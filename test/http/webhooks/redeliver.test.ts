import { untilFeedsAreWhole } from '../../support/feed.ts';
import { expect } from 'chai';
import { deliverDue } from '../../../src/domain/webhooks/deliveries/deliver.ts';
import { sweepRedeliveryRequests } from '../../../src/domain/webhooks/deliveries/redelivery-requests.ts';
import type { DeliveryList, DeliveryWithAttempts } from '../../../src/domain/webhooks/deliveries/schemas.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { firstIdAt } from '../../../src/platform/values/ids.ts';
import { configure, createPaymentsWithDeliveries, startHoldingReceiver } from '../../support/deliveries.ts';
import { expectError } from '../../support/http.ts';
import { hang, redirect, reset, startReceiver, type Answer, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { until } from '../../support/until.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const LONG = 'é'.repeat(2_000);

describe('a delivery and its attempts', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  let answers: Answer[];
  beforeEach(async () => {
    harness = await createHarness({ WEBHOOK_TIMEOUT_SECONDS: '1' });
    shop = await openShop(harness);
    answers = [];
    receiver = await startReceiver({ answer: () => answers.shift() ?? {} });
    await configure(harness, receiver.url);
    await harness.work();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const deliver = async () => {
    const [paymentId = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    const { data } = (await harness.api('get', `/v1/webhooks/deliveries?payment_id=${paymentId}`).expect(200))
      .body as DeliveryList;
    await send();
    return data[0]?.id ?? '';
  };
  const send = () => deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id);
  const get = async (id: string) =>
    (await harness.api('get', `/v1/webhooks/deliveries/${id}`).expect(200)).body as DeliveryWithAttempts;
  const redeliver = (id: string) => harness.api('post', `/v1/webhooks/deliveries/${id}/redeliver`);

  it('lists every attempt: time, address, duration, response and error', async () => {
    answers = [{ status: 500, body: LONG }, redirect(302, '/elsewhere'), reset, hang, { body: 'thanks' }];
    const id = await deliver();
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      const { next_attempt_at } = await get(id);
      harness.advance((Date.parse(next_attempt_at ?? '') - harness.ctx.now().getTime()) / 1000);
      await send();
    }
    const { log, ...delivery } = await get(id);
    expect(delivery).to.include({ status: 'delivered', attempts: 5, next_attempt_at: null, sequence: 1 });
    expect(Object.keys(log[0] ?? {}).join()).to.equal(
      'number,at,url,address,status_code,duration_ms,error,error_detail,response_excerpt,next_attempt_at',
    );
    expect(log.map(({ number, status_code, error }) => [number, status_code, error])).to.deep.equal([
      [1, 500, 'status'],
      [2, 302, 'redirect'],
      [3, null, 'connect_reset'],
      [4, null, 'timeout'],
      [5, 200, null],
    ]);
    for (const attempt of log) {
      expect(attempt).to.include({ url: receiver.url, address: '127.0.0.1' });
      expect(attempt.duration_ms).to.be.within(0, 10_000);
    }
    expect(log[3]?.duration_ms).to.be.at.least(990);
    expect(log.slice(1).map(({ at }) => at)).to.deep.equal(
      log.slice(0, -1).map(({ next_attempt_at }) => next_attempt_at),
    );
    expect(log.map(({ response_excerpt }) => response_excerpt)).to.deep.equal([
      'é'.repeat(512),
      '',
      null,
      null,
      'thanks',
    ]);
  });

  it('a delivered one is sent again at each request, with the same id and bytes', async () => {
    const id = await deliver();
    for (const times of [2, 3]) {
      const answer = await redeliver(id).expect(202);
      const now = harness.ctx.now().toISOString();
      expect(answer.body).to.include({ status: 'pending', next_attempt_at: now, finished_at: null });
      await redeliver(id).expect(202);
      await harness.work();
      expect(await get(id)).to.include({ status: 'delivered', attempts: times });
    }
    const posts = receiver.requests.filter(
      ({ headers }) => headers['webhook-id'] === receiver.requests[0]?.headers['webhook-id'],
    );
    expect(posts).to.have.length(3);
    expect(new Set(posts.map(({ rawBody }) => rawBody.toString())).size).to.equal(1);
    expect((await get(id)).log.map(({ number }) => number)).to.deep.equal([1, 2, 3]);
  });

  it('a pending one is sent at once', async () => {
    answers = [{ status: 500 }];
    const id = await deliver();
    expect(await get(id)).to.include({ status: 'pending', attempts: 1 });
    await redeliver(id).expect(202);
    await send();
    expect(await get(id)).to.include({ status: 'delivered', attempts: 2 });
  });

  it('a failed one has the whole retry schedule again', async () => {
    answers = [{ status: 500 }, { status: 500 }];
    const id = await deliver();
    await harness.ctx.db.raw(
      `UPDATE deliveries SET status = 'failed', failed_because = 'retries_exhausted',
         next_attempt_at = NULL, attempts = 11`,
    );
    await redeliver(id).expect(202);
    await send();
    const delivery = await get(id);
    expect(delivery).to.include({ status: 'pending', attempts: 12, failed_because: null });
    const wait = Date.parse(delivery.next_attempt_at ?? '') - harness.ctx.now().getTime();
    expect(wait).to.be.within(4_000, 6_000);
  });

  it('one whose last attempt fails during the request is sent again as well', async () => {
    const holding = await startHoldingReceiver();
    await configure(harness, holding.url);
    const [paymentId = ''] = await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.ctx.db.raw('UPDATE deliveries SET attempts = 10');
    const { data } = (await harness.api('get', `/v1/webhooks/deliveries?payment_id=${paymentId}`))
      .body as DeliveryList;
    const id = data[0]?.id ?? '';
    const sending = send();
    await until('the last attempt waits', () => holding.held === 1);
    await redeliver(id).expect(202);
    holding.status = 500;
    holding.release(1);
    await until('it is sent again', () => holding.held === 1);
    holding.status = 200;
    holding.open();
    await sending;
    expect(await get(id)).to.include({ status: 'delivered', attempts: 12 });
    await holding.close();
  });

  it('with an Idempotency-Key is sent once for any number of requests', async () => {
    const id = await deliver();
    const ask = () => redeliver(id).set('Idempotency-Key', 'again').expect(202);
    const { text } = await ask();
    await harness.work();
    expect((await ask()).text).to.equal(text);
    await harness.work();
    expect(await get(id)).to.include({ status: 'delivered', attempts: 2 });
  });

  describe('for those who read the feed', () => {
    const list = async (query = '') => {
      // Transactions of other databases of the cluster hold this list back, too.
      await untilFeedsAreWhole(harness.ctx.db);
      return (await harness.api('get', `/v1/events/redeliveries${query}`).expect(200)).body as {
        data: { requested_at: string; event: { id: string } }[];
        pagination: { limit: number; has_more: boolean; next_cursor: string | null };
      };
    };

    it('is listed with its event and when it was asked for, in the order of the requests', async () => {
      expect(await list()).to.deep.equal({
        data: [],
        pagination: { limit: 20, has_more: false, next_cursor: null },
      });
      const ids = [await deliver(), await deliver()];
      const events = await Promise.all(ids.map(async (id) => (await get(id)).event_id));
      await redeliver(ids[1] ?? '').expect(202);
      const asked = harness.ctx.now().toISOString();
      const first = await list('?limit=1');
      expect(first.data.map(({ requested_at, event }) => [requested_at, event.id])).to.deep.equal([
        [asked, events[1]],
      ]);
      expect(first.pagination).to.include({ has_more: false });
      harness.advance(1);
      await redeliver(ids[0] ?? '').expect(202);
      await redeliver(ids[1] ?? '').expect(202);
      const after = `?after=${first.pagination.next_cursor}`;
      const rest = await list(`${after}&limit=1`);
      expect(rest.pagination.has_more).to.equal(true);
      expect((await list(after)).data.map(({ event }) => event.id)).to.deep.equal(events);
      const last = await list(`?after=${rest.pagination.next_cursor}`);
      expect(last.data.map(({ event }) => event.id)).to.deep.equal([events[1]]);
      const end = await list(`?after=${last.pagination.next_cursor}`);
      expect(end.data).to.deep.equal([]);
      expect(end.pagination.next_cursor).to.equal(last.pagination.next_cursor);
    });

    it('has the bytes of the webhook', async () => {
      const id = await deliver();
      await redeliver(id).expect(202);
      await untilFeedsAreWhole(harness.ctx.db);
      const { text } = await harness.api('get', '/v1/events/redeliveries').expect(200);
      expect(text).to.include(`"event":${receiver.requests[0]?.rawBody.toString()}}`);
    });

    it('changes nothing else with to: listeners, also where webhooks are off', async () => {
      const id = await deliver();
      await configure(harness, receiver.url, false);
      const before = await get(id);
      const { body } = await redeliver(id).send({ to: 'listeners' }).expect(202);
      expect(body).to.deep.equal(before);
      await harness.work();
      expect(receiver.requests).to.have.length(1);
      expect((await list()).data.map(({ event }) => event.id)).to.deep.equal([before.event_id]);
    });

    it("is not listed to another merchant, nor with another list's cursor", async () => {
      await redeliver(await deliver()).expect(202);
      const stranger = await harness.addMerchant();
      const { body } = await harness.api('get', '/v1/events/redeliveries', stranger.apiKey).expect(200);
      expect(body.data).to.deep.equal([]);
      for (const after of ['x', Buffer.from('999999999.1').toString('base64url')])
        expectError(harness, await harness.api('get', `/v1/events/redeliveries?after=${after}`), 400, {
          field: 'after',
          constraint: 'format',
        });
    });

    it('is kept for a day', async () => {
      await redeliver(await deliver()).expect(202);
      harness.advance(86_000);
      expect(await sweepRedeliveryRequests(harness.ctx)).to.equal(0);
      harness.advance(500);
      expect(await sweepRedeliveryRequests(harness.ctx)).to.equal(1);
      expect((await list()).data).to.deep.equal([]);
    });
  });

  it('is rejected where webhooks are off, and for a delivery that does not exist', async () => {
    const id = await deliver();
    const stranger = await harness.addMerchant();
    expectError(
      harness,
      await harness.api('post', `/v1/webhooks/deliveries/${id}/redeliver`, stranger.apiKey),
      404,
    );
    expectError(harness, await redeliver(firstIdAt('dlv', addSeconds(harness.ctx.now(), 1))), 404);
    await configure(harness, receiver.url, false);
    expectError(harness, await redeliver(id), 409);
    expect(await get(id)).to.include({ status: 'delivered' });
  });
});
