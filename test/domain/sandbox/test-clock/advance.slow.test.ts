import { expect } from 'chai';
import supertest from 'supertest';
import { checkInvariants } from '../../../support/invariants.ts';
import { createPayment, pay } from '../../../support/http.ts';
import type { StoredEvent } from '../../../support/shop.ts';
import { since } from '../../../support/scenarios.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const DAY = 86_400;

interface Advanced {
  readonly now: string;
  readonly payment: Record<string, unknown> & { status: string };
  readonly events: readonly StoredEvent[];
  readonly deliveries: readonly unknown[];
}

describe('advancing the clock of a test payment', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(async () => {
    await checkInvariants(harness.ctx.db);
    await harness.close();
  });

  const advance = async (id: string, by: string): Promise<Advanced> =>
    (await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by }).expect(200)).body;
  const send = (id: string, body: object = {}) =>
    harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send(body).expect(201);
  const status = async (id: string) =>
    (await harness.api('get', `/v1/payment/${id}`).expect(200)).body.status as string;
  /** Time since the start of the harness, so that lists are short. */
  const eventLines = ({ events }: Pick<Advanced, 'events'>) =>
    events.map(
      ({ timestamp, type, data }) =>
        `${since(new Date(Date.parse(timestamp) - 30.5 * DAY * 1000).toISOString())} ${type.replace('checkout.', '')} ${data.checkout.status}`,
    );

  it('expires the payment at its deadline, and not before', async () => {
    const { id } = await createPayment(harness);
    const before_ = await advance(id, '59m');
    expect(before_.payment.status).to.equal('WAITING');
    expect(before_.events).to.deep.equal([]);
    const after_ = await advance(id, '2m');
    expect(after_.now).to.equal('2026-01-31T13:01:00.000Z');
    expect(after_.payment.status).to.equal('EXPIRED');
    expect(eventLines(after_)).to.deep.equal(['1:00:00 failed EXPIRED']);
    expect(await status(id)).to.equal('EXPIRED');
  });

  it('0s runs due jobs without advancing the clock', async () => {
    const { id } = await createPayment(harness);
    await send(id);
    const answer = await advance(id, '0s');
    expect(answer.now).to.equal(harness.ctx.now().toISOString());
    expect(answer.payment).to.include({ status: 'PENDING' });
  });

  it('many small steps equal one large step', async () => {
    const oneStep = (await createPayment(harness)).id;
    await send(oneStep, { amount: '10.50' });
    const large = await advance(oneStep, '10m');
    const manySteps = (await createPayment(harness)).id;
    await send(manySteps, { amount: '10.50' });
    const small: StoredEvent[] = [];
    for (let second = 0; second < 600; second += 30) small.push(...(await advance(manySteps, '30s')).events);
    expect(eventLines({ events: small })).to.deep.equal(eventLines(large));
    expect(eventLines(large)).to.deep.equal([
      '0:00:00 pending PENDING',
      '0:02:24 processing PROCESSING',
      '0:02:24 settled SETTLED',
    ]);
  });

  it('handles partial, expired, late and too much money, in steps', async () => {
    const { id } = await createPayment(harness);
    await send(id, { amount: '4' });
    expect(eventLines(await advance(id, '61m'))).to.deep.equal([
      '0:00:00 pending PENDING',
      '1:00:00 failed EXPIRED',
    ]);
    await send(id, { amount: '9' });
    const last = await advance(id, '1d');
    expect(eventLines(last)).to.deep.equal([
      '1:01:00 pending PENDING',
      '1:03:24 processing PROCESSING',
      '1:03:24 settled SETTLED',
    ]);
    expect(last.payment).to.deep.include({
      amount_received: '13',
      actually_paid: '13',
      exceptions: ['late', 'overpaid'],
    });
  });

  it('continues with money that was seen, mined and half confirmed before the first advance', async () => {
    const { id } = await createPayment(harness);
    await send(id, { amount: '4' });
    await harness.work();
    harness.advance(60);
    await harness.work();
    await send(id, { amount: '6.50' });
    await harness.work();
    const { events, payment } = await advance(id, '10m');
    expect(eventLines({ events })).to.deep.equal([
      '0:03:24 processing PROCESSING',
      '0:03:24 settled SETTLED',
    ]);
    expect(payment).to.include({ amount_received: '10.50', actually_paid: '10.50' });
  });

  it('continues with money that was sent and not yet seen', async () => {
    const { id } = await createPayment(harness);
    await send(id);
    expect((await advance(id, '10m')).payment).to.include({ status: 'SETTLED' });
  });

  it('advances a settled payment, and one that shares a network with other payments', async () => {
    const [moved, still] = [await createPayment(harness), await createPayment(harness)];
    await send(still.id);
    await pay(harness, moved.id);
    expect((await advance(moved.id, '2d')).events).to.have.lengthOf.at.most(2);
    harness.advance(600);
    await harness.work();
    expect(await status(still.id)).to.equal('SETTLED');
  });

  it('does not change the time or the chain of any other payment', async () => {
    const [moved, still] = [await createPayment(harness), await createPayment(harness)];
    await send(moved.id);
    await send(still.id);
    await advance(moved.id, '2h');
    await harness.work();
    expect([await status(moved.id), await status(still.id)]).to.deep.equal(['SETTLED', 'PENDING']);
    harness.advance(143);
    await harness.work();
    expect(await status(still.id)).to.equal('PENDING');
    harness.advance(10);
    await harness.work();
    expect(await status(still.id)).to.equal('SETTLED');
  });

  it('afterwards the workers continue in the time of the test clock', async () => {
    const { id } = await createPayment(harness);
    await advance(id, '50m');
    await harness.work();
    expect(await status(id)).to.equal('WAITING');
    await send(id);
    // Real minutes, through the relay: 12 blocks of the payment's own chain.
    for (let passed = 0; passed < 160; passed += 5) {
      harness.advance(5);
      await harness.work();
    }
    expect(await status(id)).to.equal('SETTLED');
    const { body } = await harness.api('get', `/v1/payment/${id}`);
    expect(Date.parse(body.settled_at)).to.be.greaterThan(harness.ctx.now().getTime() + 45 * 60_000);
  });

  it('afterwards its page counts confirmations block by block', async () => {
    const { id, token_id } = await createPayment(harness);
    await send(id);
    await advance(id, '12s');
    const counted: number[] = [];
    for (let blocks = 0; blocks < 4; blocks += 1) {
      const { body } = await supertest(harness.app).get(`/checkout/${token_id}/status`).expect(200);
      counted.push(body.confirmations as number);
      harness.advance(12);
      await harness.work();
    }
    expect(counted).to.deep.equal([1, 2, 3, 4]);
  });

  it('its deadline passes by its test clock, without a further advance', async () => {
    const { id } = await createPayment(harness);
    await advance(id, '50m');
    harness.advance(599);
    await harness.work();
    expect(await status(id)).to.equal('WAITING');
    harness.advance(1);
    await harness.work();
    expect(await status(id)).to.equal('EXPIRED');
  });

  it('refunds have the time of the test clock', async () => {
    const { id } = await createPayment(harness);
    await send(id);
    await advance(id, '3d');
    const { body } = await harness.api('post', `/v1/payment/${id}/refund`).send({ amount: '2' }).expect(201);
    expect(body.created_at).to.equal('2026-02-03T12:00:00.000Z');
    expect(eventLines(await advance(id, '1s'))).to.deep.equal(['3d 0:00:00 refunded SETTLED']);
  });
});
