import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import {
  configure,
  deliveriesIn,
  endpointIn,
  createPaymentsWithDeliveries,
  eachHoldingReceiver,
  watched,
  type HoldingReceiver,
  LONG_RUN,
} from '../../../support/deliveries.ts';
import { until } from '../../../support/until.ts';
import { type Harness } from '../../../support/harness.ts';

const BACKLOG = 40;

describe('the circuit breaker of an endpoint that keeps failing', () => {
  let harness: Harness;
  let receiver: HoldingReceiver;
  /** 40 deliveries, and a receiver that answered 500 until the circuit opened. */
  eachHoldingReceiver(async ({ shop, ...opened }) => {
    ({ harness, receiver } = opened);
    await createPaymentsWithDeliveries(harness, shop, BACKLOG);
    receiver.status = 500;
    const sending = send();
    for (let answered = 0; answered < 10; answered += 1) {
      await until('a request waits', () => receiver.held > 0);
      receiver.release(1);
    }
    receiver.open();
    await sending;
    receiver.shut();
  });

  const send = (ctx = harness.ctx) =>
    deliverDue(ctx, harness.adapters.webhooks, harness.merchant.id, LONG_RUN);
  const health = async () =>
    (await harness.api('get', '/v1/webhooks/config').expect(200)).body.health as { state: string };
  const untilOpen = async () => {
    const { circuit_open_until } = await endpointIn(harness);
    const wait = ((circuit_open_until?.getTime() ?? NaN) - harness.ctx.now().getTime()) / 1000;
    harness.advance(wait - 0.001);
    return wait;
  };
  /** Events of the pending deliveries, in the order in which they are due. */
  const pendingEvents = async () =>
    (await deliveriesIn(harness))
      .filter(({ status }) => status === 'pending')
      .sort((a, b) => Number(a.next_attempt_at) - Number(b.next_attempt_at))
      .map(({ event_id }) => event_id);

  it('opens after ten failures in a row: the backlog waits, and the API reports it as paused', async () => {
    // Ten, and those that were in flight beside the tenth.
    expect(receiver.requests.length).to.be.within(10, 13);
    expect(await endpointIn(harness)).to.deep.include({
      concurrency_limit: 1,
      circuit_open_until: addSeconds(harness.ctx.now(), 5),
    });
    expect(await health()).to.include({ state: 'paused', failureRate: 1 });
    const before = receiver.requests.length;
    await send();
    await untilOpen();
    await harness.work();
    expect(receiver.requests).to.have.length(before);
  });

  it('sends one probe when its delay ends, and doubles the delay when the probe fails', async () => {
    for (const next of [10, 20, 40, 60]) {
      await untilOpen();
      harness.advance(0.001);
      const before = receiver.requests.length;
      const { ctx, lookedTwice } = watched(harness);
      const probing = send(ctx);
      await until('the probe waits', () => receiver.held === 1);
      await lookedTwice();
      expect(receiver.requests).to.have.length(before + 1);
      receiver.release(1);
      await probing;
      expect(receiver.requests).to.have.length(before + 1);
      expect((await untilOpen()).toFixed(0)).to.equal(String(next));
    }
  });

  it('closes when a probe succeeds: the backlog is sent oldest first, 1, 2, 4, 8 ... at once', async () => {
    await untilOpen();
    harness.advance(10);
    const expected = await pendingEvents();
    const arrivedBefore = receiver.requests.length;
    receiver.status = 200;
    const { ctx, lookedTwice } = watched(harness);
    const sending = send(ctx);
    for (const atOnce of [1, 2, 4, 8, 16]) {
      await until(`${atOnce} requests wait`, () => receiver.held === atOnce);
      const arrived = receiver.requests.slice(arrivedBefore).map(({ headers }) => headers['webhook-id']);
      expect(new Set(arrived)).to.deep.equal(new Set(expected.slice(0, arrived.length)));
      if (atOnce <= 2) await lookedTwice();
      expect(receiver.held).to.equal(atOnce);
      receiver.release(1);
    }
    receiver.open();
    await sending;
    expect(await health()).to.include({ state: 'healthy' });
    await harness.work();
    expect(await pendingEvents()).to.deep.equal([]);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(BACKLOG);
  });

  it('closes when the merchant sets the URL: pending deliveries are sent at once', async () => {
    receiver.status = 200;
    receiver.open();
    await configure(harness, receiver.url);
    harness.advance(7);
    await harness.work();
    expect(await pendingEvents()).to.deep.equal([]);
  });
});
