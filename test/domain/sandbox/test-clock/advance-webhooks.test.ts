import { expect } from 'chai';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { createPayment } from '../../../support/http.ts';
import { startReceiver, type Receiver, type ReceivedRequest } from '../../../support/receivers.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createHmac } from 'node:crypto';

const looseDeliveries = sql<{ key: string }>(
  'test_loose_deliveries',
  `SELECT key FROM scheduled_jobs WHERE job LIKE '%deliver%'`,
);

describe('webhooks of a payment with an advanced test clock', () => {
  let harness: Harness;
  let receiver: Receiver;
  let fails: (index: number) => boolean;
  beforeEach(async () => {
    fails = () => false;
    harness = await createHarness();
    receiver = await startReceiver({ answer: (_, index) => ({ status: fails(index) ? 500 : 200 }) });
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: receiver.url, enabled: true })
      .expect(200);
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const advance = async (id: string, by: string) =>
    (await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by }).expect(200)).body;
  const typeOf = ({ rawBody }: ReceivedRequest) => JSON.parse(rawBody.toString()).type as string;

  it('arrive at the real receiver within the request, signed with the real time', async () => {
    const { id } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    const { deliveries } = await advance(id, '2d');
    expect(receiver.requests.map(typeOf)).to.deep.equal([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
    ]);
    expect(deliveries.map((one: { status_code: number }) => one.status_code)).to.deep.equal([
      200, 200, 200, 200,
    ]);
    const now = Math.floor(harness.ctx.systemNow().getTime() / 1000);
    for (const { headers, rawBody } of receiver.requests) {
      expect(Number(headers['x-webhook-timestamp'])).to.equal(now);
      expect(headers['x-webhook-signature']).to.equal(
        createHmac('sha256', harness.merchant.webhookSecret).update(`${now}.`).update(rawBody).digest('hex'),
      );
    }
    const settled = JSON.parse(receiver.requests[3]?.rawBody.toString() ?? '');
    expect(settled.timestamp).to.equal('2026-01-31T12:02:24.000Z');
  });

  it('a second request returns only new events', async () => {
    const { id } = await createPayment(harness);
    expect((await advance(id, '1m')).deliveries).to.have.length(1);
    const second = await advance(id, '2h');
    expect(second.deliveries.map((one: { type: string }) => one.type)).to.deep.equal(['checkout.failed']);
    expect(receiver.requests).to.have.length(2);
  });

  it('retries run through an advanced day, and beyond it until the delivery fails', async () => {
    fails = () => true;
    const { id } = await createPayment(harness, { expiration_minutes: 1440 });
    // Whatever the random delays: the ninth attempt comes within 25 hours, the tenth after 35.
    const created = (all: { type: string; attempt: number }[]) =>
      all.filter(({ type }) => type === 'checkout.created');
    const { deliveries } = await advance(id, '26h');
    expect(created(deliveries).map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const posted = receiver.requests.filter((request) => typeOf(request) === 'checkout.created');
    expect(posted).to.have.length(9);
    expect(new Set(posted.map(({ rawBody }) => rawBody.toString())).size).to.equal(1);
    fails = () => false;
    const later = await advance(id, '3d');
    const first = created(later.deliveries);
    expect(first).to.have.length(1);
    expect(first[0]).to.include({ attempt: 10, status_code: 200, next_attempt_at: null });
    expect(await run(harness.ctx.db, looseDeliveries, [])).to.deep.equal([]);
  });

  it('a retry that is pending after the advance is made by the workers in the time of the test clock', async () => {
    fails = (index) => index === 0;
    const { id } = await createPayment(harness);
    const { deliveries } = await advance(id, '1s');
    expect(deliveries).to.have.length(1);
    await harness.work();
    expect(receiver.requests).to.have.length(1);
    harness.advance(7);
    await harness.work();
    expect(receiver.requests).to.have.length(2);
  });

  it('a retry from before the first advance follows the test clock too', async () => {
    fails = (index) => index < 5;
    const { id } = await createPayment(harness);
    await harness.work();
    harness.advance(7);
    await harness.work();
    expect(receiver.requests).to.have.length(2);
    const { deliveries } = await advance(id, '59m');
    expect(deliveries.map((one: { attempt: number }) => one.attempt)).to.deep.equal([3, 4, 5, 6]);
  });

  it('a delivery in flight stays with its worker', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let first = true;
    const slow = await startReceiver({
      answer: async () => {
        if (first) {
          first = false;
          await held;
        }
        return {};
      },
    });
    const { id } = await createPayment(harness, { callback_url: slow.url });
    const working = harness.work();
    await slow.waitFor(1);
    const { payment, deliveries } = await advance(id, '10s');
    expect(payment.status).to.equal('WAITING');
    expect(deliveries).to.deep.equal([]);
    expect(slow.requests).to.have.length(1);
    release();
    await working;
    await advance(id, '10m');
    expect(slow.requests).to.have.length(1);
    await slow.close();
  });
});
