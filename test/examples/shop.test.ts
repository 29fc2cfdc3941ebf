import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { signWebhook } from '../../src/sdk/index.ts';
import { endAll } from '../processes/service.ts';
import { freePort } from '../support/free-port.ts';
import type { Harness } from '../support/harness.ts';
import { listen, pay, type Listening, type Payment } from '../support/http.ts';
import { atPresent, createPresentHarness } from './real-deliveries.ts';
import { startShop, type RunningShop } from './shop-process.ts';

/** The deadline of a payment, and a minute. */
const BEFORE_SECONDS = 61 * 60;

describe('examples/shop', () => {
  let harness: Harness;
  let service: Listening;
  let shop: RunningShop;
  /** An order that nobody paid, and what its page said before its deadline. */
  let unpaid: { order: string; before: string };
  before(async () => {
    const port = await freePort();
    // One payment expires before the tests begin, at the time of the machine, by which the shop verifies.
    harness = await createPresentHarness(BEFORE_SECONDS, { PUBLIC_URL: `http://127.0.0.1:${port}` });
    service = await listen(harness.app, port);
    shop = await startShop(harness, service.url);
    const { order: id } = await order();
    unpaid = { order: id, before: await orderPage(id) };
    harness.advance(BEFORE_SECONDS);
    await harness.work();
  });
  after(async () => {
    await shop.close();
    await endAll();
    await service.close();
    await harness.close();
  });

  const textOf = async (path: string) => (await fetch(shop.url + path)).text();
  const orderPage = (order: string) => textOf(`/orders/${order}`);
  /** Sends the form of the product's page. */
  const buy = (order: string) =>
    fetch(`${shop.url}/buy`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ order }),
    });
  const paymentsOf = async (order: string) =>
    (await harness.api('get', `/v1/payments?order_id=${order}`).expect(200)).body.data as Payment[];
  /** Opens the product's page and buys; returns the order's id, and its payment. */
  async function order(): Promise<{ order: string; payment: Payment }> {
    const [, id = ''] = /name="order" value="([^"]+)"/.exec(await textOf('/')) ?? [];
    expect((await buy(id)).status).to.equal(303);
    const [payment] = await paymentsOf(id);
    return { order: id, payment: payment ?? expect.fail('no payment') };
  }

  it('waits for the payment, and says that the time is over where nobody paid', async () => {
    expect(unpaid.before).to.include('Waiting for your payment').and.include('http-equiv="refresh"');
    expect(await orderPage(unpaid.order))
      .to.include('The time is over')
      .and.not.include('refresh');
  });

  it('says that the parcel is sent where somebody pays', async () => {
    const { order: id, payment } = await order();
    await pay(harness, payment.id);
    expect(await orderPage(id))
      .to.include('Thank you')
      .and.include('A parcel is on its way');
    const path = '/v1/webhooks/deliveries?status=pending,failed';
    expect((await harness.api('get', path).expect(200)).body.data).to.deep.equal([]);
  });

  it('redirects to the checkout page, and makes one payment of a form that is sent twice', async () => {
    const id = randomUUID();
    const answers = await Promise.all([buy(id), buy(id), buy(id)]);
    const [payment, ...others] = await paymentsOf(id);
    expect(others).to.deep.equal([]);
    for (const { status, headers } of answers) {
      expect(status).to.equal(303);
      expect(headers.get('location')).to.equal(payment?.checkout_url);
    }
    expect(payment).to.include({ pay_amount: '25.00', pay_currency: 'USDC' });
    expect((await fetch(payment?.checkout_url ?? '')).status).to.equal(200);
  });

  it('takes the price and the order from nobody but itself', async () => {
    expect((await buy('1')).status).to.equal(400);
    expect((await buy("' OR true --")).status).to.equal(400);
    expect((await fetch(`${shop.url}/orders/${randomUUID()}`)).status).to.equal(404);
  });

  it('fulfils once when the event comes twice, and late ones change nothing', async () => {
    const { order: id, payment } = await order();
    await pay(harness, payment.id);
    const events = (await harness.api('get', `/v1/payment/${payment.id}/events`).expect(200)).body.data as {
      id: string;
    }[];
    const settled = events.at(-1) ?? expect.fail();
    for (const event of [settled, settled, ...events]) expect(await deliver(event)).to.equal(200);
    await shop.program.says('checkout.settled 4: 0 handled');
    expect(await orderPage(id)).to.include('Thank you');
    expect(await deliver(settled, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')).to.equal(401);
  });

  it('fulfils in order when a refund overtakes the settlement: missing events are fetched', async () => {
    const { order: id, payment } = await order();
    await harness.api('put', '/v1/webhooks/config').send({ webhookUrl: null, enabled: false }).expect(200);
    await pay(harness, payment.id);
    await refund(payment.id, { amount: '5.00' });
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: `${shop.url}/hooks`, enabled: true })
      .expect(200);
    const events = (await harness.api('get', `/v1/payment/${payment.id}/events`).expect(200)).body.data as {
      id: string;
      type: string;
    }[];
    const refunded = events.find(({ type }) => type === 'checkout.refunded') ?? expect.fail();
    expect(await deliver(refunded)).to.equal(200);
    await shop.program.says('checkout.refunded 5: 5 handled');
    expect(await orderPage(id))
      .to.include('Thank you')
      .and.include('parcel')
      .and.match(/>5(?:\.0+)? USDC went back/);
  });

  it('asks for the rest where too little came, and cancels the parcel where everything went back', async () => {
    const { order: id, payment } = await order();
    await pay(harness, payment.id, { amount: '10.00' });
    expect(await orderPage(id))
      .to.include('A part is missing')
      .and.include(payment.checkout_url);
    await pay(harness, payment.id);
    expect(await orderPage(id)).to.include('A parcel is on its way');
    await refund(payment.id, {});
    expect(await orderPage(id))
      .to.include('Refunded')
      .and.not.include('A parcel');
  });

  it('passes the receiver check', async () => {
    const { ask, close } = await atPresent(harness);
    const examined = await ask('/v1/webhooks/examine', { url: `${shop.url}/hooks` });
    expect(examined, JSON.stringify(examined)).to.include({ passed: true });
    await close();
  });

  async function deliver(event: { id: string }, secret = harness.merchant.webhookSecret): Promise<number> {
    const rawBody = JSON.stringify(event);
    const headers = signWebhook({ eventId: event.id, rawBody, secrets: [secret], now: harness.ctx.now() });
    const json = { 'Content-Type': 'application/json' };
    return (
      await fetch(`${shop.url}/hooks`, { method: 'POST', headers: { ...headers, ...json }, body: rawBody })
    ).status;
  }
  async function refund(id: string, body: object): Promise<void> {
    await harness
      .api('post', `/v1/payment/${id}/refund`)
      .send({ to_sender: true, ...body })
      .expect(201);
    for (let block = 0; block < 14; block += 1) {
      await harness.work();
      harness.advance(1);
    }
    await harness.work();
  }
});
