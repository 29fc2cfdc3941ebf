import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import {
  eachHoldingReceiver,
  configure,
  deliveriesIn,
  endpointIn,
  createPaymentsWithDeliveries,
  startHoldingReceiver,
  type HoldingReceiver,
  LONG_RUN,
} from '../../../support/deliveries.ts';
import type { Shop } from '../../../support/shop.ts';
import { until } from '../../../support/until.ts';
import type { Harness } from '../../../support/harness.ts';

const DAY = 86_400;
const OFF = { status: 'failed', failed_because: 'endpoint_switched_off', next_attempt_at: null };

describe('disabling an endpoint', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  eachHoldingReceiver((opened) => ({ harness, shop, receiver } = opened));

  const send = (endpointId = harness.merchant.id) =>
    deliverDue(harness.ctx, harness.adapters.webhooks, endpointId, LONG_RUN);
  const config = async () => (await harness.api('get', '/v1/webhooks/config').expect(200)).body;
  const enable = () =>
    harness.api('put', '/v1/webhooks/config').send({ webhookUrl: receiver.url, enabled: true }).expect(200);
  const answerAll = (status: number) => {
    receiver.status = status;
    receiver.open();
  };

  it('happens at the first 410: pending deliveries fail unsent, and GET config reports it', async () => {
    answerAll(410);
    await createPaymentsWithDeliveries(harness, shop, 9);
    await send();
    expect(receiver.requests.length).to.be.within(1, 4);
    for (const delivery of await deliveriesIn(harness)) expect(delivery).to.include(OFF);
    const now = harness.ctx.now().toISOString();
    const { health, enabled } = await config();
    expect(enabled).to.equal(false);
    expect(health).to.deep.equal({
      state: 'switched_off',
      lastSuccessAt: null,
      lastFailureAt: now,
      failureRate: 1,
      switchedOffAt: now,
      switchedOffBecause: 'gone',
    });
    harness.advance(DAY);
    await harness.work();
    expect(receiver.requests.length).to.be.lessThan(5);
  });

  for (const status of [410, 500])
    it(`does not undo a PUT during a run whose request is then answered by ${status}`, async () => {
      await createPaymentsWithDeliveries(harness, shop, 1);
      const sending = send();
      await until('a request waits', () => receiver.held === 1);
      await enable();
      receiver.status = status;
      receiver.release(1);
      await sending;
      expect(await endpointIn(harness)).to.include({ disabled_at: null, failures: 0, leased_by: null });
      expect((await deliveriesIn(harness)).map((delivery) => delivery.status)).to.deep.equal(['pending']);
      answerAll(200);
      await harness.work();
      const [delivery] = await deliveriesIn(harness);
      expect(delivery).to.include({ status: 'delivered', attempts: 2 });
    });

  it('still records requests in flight: a success counts, and each attempt is in the log', async () => {
    await createPaymentsWithDeliveries(harness, shop, 3);
    const sending = send();
    await until('three requests wait', () => receiver.held === 3);
    receiver.status = 410;
    receiver.release(1);
    await until('it is disabled', async () => (await endpointIn(harness)).disabled_at !== null);
    receiver.status = 200;
    receiver.release(1);
    await until('one is delivered', async () =>
      (await deliveriesIn(harness)).some(({ status }) => status === 'delivered'),
    );
    receiver.status = 500;
    receiver.release(1);
    await sending;
    const rows = await deliveriesIn(harness);
    expect(rows.map(({ attempts }) => attempts)).to.deep.equal([1, 1, 1]);
    expect(rows.filter(({ status }) => status === 'delivered')).to.have.length(1);
    expect(rows.filter(({ failed_because }) => failed_because === OFF.failed_because)).to.have.length(2);
  });

  it('happens after five days of nothing but failure, and not a moment before', async () => {
    answerAll(500);
    const { now } = harness.ctx;
    const failAgain = async () => {
      await createPaymentsWithDeliveries(harness, shop, 1);
      await send();
    };
    await failAgain();
    const since = now().getTime();
    harness.advance(4 * DAY);
    await failAgain();
    harness.advance((since + 5 * DAY * 1000 - 1 - now().getTime()) / 1000 - 1);
    await failAgain();
    expect((await config()).health).to.include({ state: 'failing', switchedOffAt: null });
    harness.advance(0.001);
    await failAgain();
    expect((await config()).health).to.include({ state: 'switched_off', switchedOffBecause: 'failing' });
  });

  it('waits five days again after a single success', async () => {
    answerAll(500);
    await createPaymentsWithDeliveries(harness, shop, 1);
    await send();
    harness.advance(4 * DAY);
    receiver.status = 200;
    await send();
    const lastSuccessAt = harness.ctx.now().toISOString();
    expect((await config()).health).to.include({ state: 'healthy', lastSuccessAt });
    receiver.status = 500;
    harness.advance(2 * DAY);
    await createPaymentsWithDeliveries(harness, shop, 1);
    await send();
    expect((await config()).health).to.include({ state: 'failing', lastSuccessAt });
  });

  it('ends with PUT, and the events of the meantime are replayed on request', async () => {
    const from = harness.ctx.now().toISOString();
    answerAll(410);
    await createPaymentsWithDeliveries(harness, shop, 2);
    await send();
    for (let made = 0; made < 3; made += 1) await shop.create();
    await harness.work();
    expect(await deliveriesIn(harness)).to.have.length(5);
    for (const delivery of await deliveriesIn(harness)) expect(delivery).to.include(OFF);
    const posted = receiver.requests.length;
    await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: from }).expect(409);

    receiver.status = 200;
    const { body } = await enable();
    expect(Object.keys(body)).to.deep.equal(['webhookUrl', 'enabled', 'updatedAt']);
    const on = await config();
    expect([on.enabled, on.health.state, on.health.switchedOffAt]).to.deep.equal([true, 'untested', null]);
    expect(on.health.failureRate, 'since it was enabled').to.equal(null);
    await harness.work();
    expect(receiver.requests, 'nothing is sent without a request').to.have.length(posted);

    const answer = await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: from }).expect(202);
    expect(answer.body.count).to.equal(5);
    harness.advance(1);
    await harness.work();
    expect((await deliveriesIn(harness)).map(({ status }) => status)).to.deep.equal(
      Array.from({ length: 5 }, () => 'delivered'),
    );
    expect((await config()).health).to.include({ state: 'healthy', failureRate: 0 });
  });

  it("affects that endpoint alone: the merchant's own continues when a callback_url is gone", async () => {
    const own = await startHoldingReceiver();
    own.open();
    await configure(harness, own.url);
    answerAll(410);
    await createPaymentsWithDeliveries(harness, shop, 1, { callback_url: receiver.url });
    await createPaymentsWithDeliveries(harness, shop, 1);
    await harness.work();
    expect((await deliveriesIn(harness)).map(({ status }) => status)).to.deep.equal(['failed', 'delivered']);
    expect((await config()).health).to.include({ state: 'healthy' });
    await own.close();
  });
});
