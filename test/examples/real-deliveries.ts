import { expect } from 'chai';
import { createApp } from '../../src/http/app.ts';
import type { Environment } from '../../src/platform/config/config.ts';
import { configure } from '../support/deliveries.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { createPayment, listen, pay, send, type Answer, type Payment } from '../support/http.ts';

/** Of an overlap: the old secret and the new one sign. */
const OVERLAP_HOURS = 24;

/**
 * A service whose clock shows the time of the machine, as that of the receiver's program does, or the time of
 * so many seconds ago.
 */
export async function createPresentHarness(secondsAgo = 0, env: Environment = {}): Promise<Harness> {
  const harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1', ...env });
  harness.advance((Date.now() - harness.ctx.now().getTime()) / 1000 - secondsAgo);
  await harness.work();
  return harness;
}

/**
 * Lets a service deliver the events of a settled payment to the receiver at `url`: under the first secret,
 * after a rotation under both, and the settled one once more. Every delivery must be accepted. `create` makes
 * the payment.
 */
export async function deliverForReal(
  harness: Harness,
  url: string,
  orderId: string,
  create: () => Promise<Payment> = () => createPayment(harness, { order_id: orderId }),
): Promise<Payment> {
  await configure(harness, url);
  const payment = await create();
  await harness.work();
  await harness.api('post', '/v1/webhooks/secrets/rotate').send({ overlap_hours: OVERLAP_HOURS }).expect(200);
  await pay(harness, payment.id);
  const deliveries = await deliveriesOf(harness, payment.id);
  expect(deliveries.map(({ type, status }) => [type, status])).to.deep.equal([
    ['checkout.created', 'delivered'],
    ['checkout.pending', 'delivered'],
    ['checkout.processing', 'delivered'],
    ['checkout.settled', 'delivered'],
  ]);
  const settled = deliveries.at(-1)?.id ?? expect.fail();
  await harness.api('post', `/v1/webhooks/deliveries/${settled}/redeliver`).expect(202);
  await harness.work();
  const again = (await deliveriesOf(harness, payment.id)).find(({ id }) => id === settled);
  expect(again).to.include({ status: 'delivered', attempts: 2 });
  return payment;
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly sequence: number;
}

async function deliveriesOf(harness: Harness, paymentId: string): Promise<readonly Delivery[]> {
  const path = `/v1/webhooks/deliveries?payment_id=${paymentId}`;
  const { data } = (await harness.api('get', path).expect(200)).body as { data: Delivery[] };
  return data.sort((a, b) => a.sequence - b.sequence);
}

/** The API of a harness by the machine's clock; `ask` posts to it, and returns the body of the response. */
export async function atPresent({ ctx, adapters, health, merchant }: Harness): Promise<{
  readonly ask: (path: string, body: object) => Promise<Answer['body']>;
  readonly close: () => Promise<void>;
}> {
  const present = { ...ctx, now: () => new Date(), systemNow: () => new Date() };
  const server = await listen(
    createApp(present, { redis: null, admin: null, adapters, sandbox: null, health }),
  );
  const headers = { 'X-API-Key': merchant.apiKey, 'Content-Type': 'application/json' };
  return {
    ask: async (path, body) => (await send(server, 'POST', path, headers, JSON.stringify(body))).body,
    close: () => server.close(),
  };
}
