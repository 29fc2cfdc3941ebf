import supertest from 'supertest';
import { freezeClock } from '../../../src/domain/sandbox/test-clock/freeze.ts';
import { createApp } from '../../../src/http/app.ts';
import { SILENT } from '../../../src/platform/log.ts';
import { openDb } from '../../../src/platform/postgres/db.ts';
import { WEB_DB } from '../../../src/processes/setup/context.ts';
import { createHarness, type Harness } from '../harness.ts';
import { createPayment, ORDER } from '../http.ts';
import type { Run } from './record-payments.ts';
import type { Tape } from './tape.ts';

const NO_PAYMENT = 'pay_01M7X9Y9E5YM9A1356S2WPNB4R';
const NO_REFUND = 'ref_01M7X9Y9E5YM9A1356S2WPNB4R';
const NO_DELIVERY = 'dlv_01M7X9Y9E5YM9A1356S2WPNB4R';
/** Of POST /v1/payment: the limit of the specification. */
const PER_MINUTE = 60;

/** Records what a request can do wrong. */
export async function recordErrors({ tape, harness }: Run, settled: string): Promise<void> {
  const body = ORDER;
  await tape.fail(harness, 'unauthorized', 'createPayment', { body, apiKey: null });
  const reader = await harness.addMerchant({ permissions: ['payments:read'] });
  await tape.fail(harness, 'forbidden', 'createPayment', { body, apiKey: reader.apiKey });
  const live = await harness.addMerchant({ mode: 'live' });
  await tape.fail(harness, 'network_unavailable', 'createPayment', { body, apiKey: live.apiKey });
  await tape.fail(harness, 'rate_unavailable', 'createPayment', {
    body: { price_amount: '10.50', price_currency: 'EUR', order_id: 'order-9' },
    apiKey: live.apiKey,
  });
  await tape.fail(harness, 'payment_not_found', 'getPayment', { id: NO_PAYMENT });
  await tape.fail(harness, 'refund_not_found', 'announceRefund', {
    id: settled,
    part: NO_REFUND,
    body: { tx_hash: `0x${'1'.repeat(64)}` },
  });
  await tape.fail(harness, 'delivery_not_found', 'getDelivery', { id: NO_DELIVERY });
  const headers = { 'Idempotency-Key': 'order-7' };
  await harness.api('post', '/v1/payment').set(headers).send(body).expect(201);
  await tape.fail(harness, 'idempotency_conflict', 'createPayment', {
    body: { ...body, pay_amount: '11' },
    headers,
  });
  const waiting = await createPayment(harness, { order_id: 'order-8' });
  await tape.fail(harness, 'refund_not_allowed', 'refundPayment', { id: waiting.id, body: {} });
  await tape.fail(harness, 'cancel_not_allowed', 'cancelPayment', { id: settled });
  await freezeClock(harness.ctx, sandboxOf(harness), waiting.id, () =>
    tape.fail(harness, 'clock_held', 'advanceSandboxClock', { id: waiting.id, body: { by: '1m' } }),
  );
  const large = { ...body, order_description: 'x'.repeat(110_000) };
  await tape.fail(harness, 'body_too_large', 'createPayment', { body: large });
  await tape.fail(harness, 'unsupported_media_type', 'createPayment', {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'text/plain' },
  });
  const sent = (await harness.api('get', `/v1/webhooks/deliveries?payment_id=${settled}`).expect(200))
    .body as {
    data: { id: string }[];
  };
  await harness.api('put', '/v1/webhooks/config').send({ webhookUrl: null, enabled: false }).expect(200);
  await tape.fail(harness, 'webhooks_off', 'redeliver', { id: sent.data[0]?.id ?? '' });
}

/** Records what the service refuses whatever a request is: limits, maintenance, a database that is away. */
export async function recordOutages({ tape }: Run): Promise<void> {
  const strict = await createHarness({ RATE_LIMIT_SCALE: '1' });
  try {
    for (let sent = 0; sent < PER_MINUTE; sent += 1)
      await strict.api('post', '/v1/payment').send({}).expect(400);
    await tape.fail(strict, 'rate_limited', 'createPayment', { body: ORDER });
    // The error is expected: it need not be logged.
    Object.assign(strict.ctx, { log: SILENT });
    // A schema that the code does not expect stands for whatever nobody has foreseen.
    await strict.ctx.db.raw('ALTER TABLE payments RENAME COLUMN merchant_id TO other');
    await tape.fail(strict, 'internal', 'getPayment', { id: NO_PAYMENT });
    await recordAway(tape, strict);
  } finally {
    await strict.close();
  }
  const closed = await createHarness({ MAINTENANCE: 'true' });
  try {
    await tape.fail(closed, 'maintenance', 'createPayment', { body: ORDER });
  } finally {
    await closed.close();
  }
}

function sandboxOf({ sandbox }: Harness) {
  if (sandbox === null) throw new Error('the sandbox is off');
  return sandbox;
}

/** Records a service whose database refuses connections: nothing listens on port 1. */
async function recordAway(tape: Tape, harness: Harness): Promise<void> {
  const { ctx, adapters, sandbox, health, merchant } = harness;
  const db = openDb({ url: 'postgres://127.0.0.1:1/away', name: 'test', ...WEB_DB });
  const app = createApp({ ...ctx, db }, { redis: null, admin: null, adapters, sandbox, health });
  const api: Harness['api'] = (method, path) =>
    supertest(app)[method](path).set('X-API-Key', merchant.apiKey);
  await tape.fail({ api }, 'unavailable', 'createPayment', { body: ORDER });
  await db.destroy();
}
