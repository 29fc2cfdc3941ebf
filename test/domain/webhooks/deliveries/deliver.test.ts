import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import {
  createWebhookClient,
  type WebhookClient,
  type DeliveryResult,
} from '../../../../src/domain/webhooks/client/client.ts';
import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { createSecretBox, newWebhookSecret } from '../../../../src/platform/secret-box.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import {
  hang,
  redirect,
  reset,
  startReceiver,
  type ReceivedRequest,
  type Receiver,
  type ReceiverOptions,
} from '../../../support/receivers.ts';
import { LONG_RUN } from '../../../support/deliveries.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { singleStatementsOf, statementsOf } from '../../../support/statements.ts';
import { until } from '../../../support/until.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

/** The contract's schedule ("Events"), in seconds. */
const SCHEDULE = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];
/** How long the lease of a run that dies lasts: the request's deadline, and 10 s. */
const LEASE_SECONDS = 25;
/** An event that is recorded and not sent. */
const NOT_SENT = { status: 'failed', failed_because: 'webhooks_disabled', due_at: null };

interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly endpoint_id: string;
  readonly failed_because: string | null;
  readonly finished_at: Date | null;
  readonly due_at: Date | null;
}
interface Attempt {
  readonly number: number;
  readonly url: string;
  readonly started_at: Date;
  readonly status_code: number | null;
  readonly error_class: string | null;
  readonly remote_address: string | null;
  readonly response_excerpt: string | null;
  readonly next_attempt_at: Date | null;
}
const deliveriesOf = sql<Delivery, { paymentId: string }>(
  'test_deliveries_of',
  (p) => `
   SELECT d.*, next_attempt_at AS due_at FROM deliveries d
   WHERE payment_id = ${p.paymentId} ORDER BY sequence`,
);
const attemptsOf = sql<Attempt, { deliveryId: string }>(
  'test_attempts_of',
  (p) => `SELECT * FROM delivery_attempts WHERE delivery_id = ${p.deliveryId} ORDER BY number`,
);
const bodyOf = sql<{ body: string }, { eventId: string }>(
  'test_body',
  (p) => `SELECT body FROM events WHERE id = ${p.eventId}`,
);

/** On a busy machine a receiver is slow, and does not hang. */
const LONG_MS = 120_000;

describe('delivering a webhook', () => {
  let harness: Harness;
  let shop: Shop;
  let client: WebhookClient;
  /** Gives up on a receiver that hangs. */
  let impatient: WebhookClient;
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    const options = { allowPrivate: true, userAgent: 'payment-checkout/test' };
    client = createWebhookClient({ ...options, timeoutMs: LONG_MS });
    impatient = createWebhookClient({ ...options, timeoutMs: 300 });
    await harness.work();
  });
  afterEach(async () => {
    await client.close();
    await impatient.close();
    await harness.close();
    for (const receiver of receivers.splice(0)) await receiver.close();
  });

  const listen = async (answer?: ReceiverOptions['answer']) => {
    const receiver = await startReceiver(answer === undefined ? {} : { answer });
    receivers.push(receiver);
    return receiver;
  };
  const configure = (webhookUrl: string | null, enabled = true) =>
    setWebhookConfig(harness.ctx.db, harness.merchant.id, { webhookUrl, enabled }, harness.ctx.now());
  const deliveries = (paymentId: string) => run(harness.ctx.db, deliveriesOf, { paymentId });
  const attempts = (deliveryId: string) => run(harness.ctx.db, attemptsOf, { deliveryId });
  /** Creates a payment and the delivery of its first event, which is not sent yet. */
  const createDelivery = async (body?: Parameters<Shop['create']>[0]) => {
    const id = await shop.create(body);
    const [event] = await shop.events(id);
    await dispatchEvents(harness.ctx, [event?.id ?? '']);
    const [delivery] = await deliveries(id);
    if (delivery === undefined) throw new Error('the event has no delivery');
    return {
      paymentId: id,
      deliveryId: delivery.id,
      eventId: delivery.event_id,
      endpointId: delivery.endpoint_id,
    };
  };
  const delivery = async (paymentId: string) => {
    const [row] = await deliveries(paymentId);
    if (row === undefined) throw new Error('there is no delivery');
    return row;
  };
  const secondsUntil = (date: Date | null) => ((date?.getTime() ?? NaN) - harness.ctx.now().getTime()) / 1000;
  const send = (endpointId: string = harness.merchant.id, by = client) =>
    deliverDue(harness.ctx, by, endpointId, LONG_RUN);

  for (const status of [200, 201, 202, 204, 299])
    it(`that gets ${status} is delivered, with one attempt, and nothing is due any more`, async () => {
      const receiver = await listen(() => ({ status, body: status === 204 ? '' : 'thanks' }));
      await configure(receiver.url);
      const { paymentId, deliveryId } = await createDelivery();
      await send();
      expect(await delivery(paymentId)).to.deep.include({
        status: 'delivered',
        attempts: 1,
        finished_at: harness.ctx.now(),
        due_at: null,
      });
      const [attempt, ...more] = await attempts(deliveryId);
      expect(more).to.deep.equal([]);
      expect(attempt).to.deep.include({
        number: 1,
        url: receiver.url,
        status_code: status,
        error_class: null,
        remote_address: '127.0.0.1',
        response_excerpt: status === 204 ? '' : 'thanks',
        started_at: harness.ctx.now(),
        next_attempt_at: null,
      });
      await send();
      expect(receiver.requests).to.have.length(1);
    });

  const failures: [
    what: string,
    answer: ReceiverOptions['answer'],
    statusCode: number | null,
    errorClass: string,
  ][] = [
    ['301', () => redirect(301, '/elsewhere'), 301, 'redirect'],
    ['307', () => redirect(307, '/elsewhere'), 307, 'redirect'],
    ['304', () => ({ status: 304 }), 304, 'redirect'],
    ['400', () => ({ status: 400 }), 400, 'status'],
    ['401', () => ({ status: 401 }), 401, 'status'],
    ['429', () => ({ status: 429 }), 429, 'status'],
    ['500', () => ({ status: 500, body: 'a\0b' }), 500, 'status'],
    ['503', () => ({ status: 503 }), 503, 'status'],
    ['no response within the deadline', () => hang, null, 'timeout'],
    ['a reset', () => reset, null, 'connect_reset'],
  ];
  for (const [what, answer, statusCode, errorClass] of failures)
    it(`that gets ${what} is retried after 5 s, +-20 %, and the attempt is a row`, async () => {
      const receiver = await listen(answer);
      await configure(receiver.url);
      const { paymentId, deliveryId } = await createDelivery();
      await send(undefined, errorClass === 'timeout' ? impatient : client);
      const row = await delivery(paymentId);
      expect(row).to.include({ status: 'pending', attempts: 1, finished_at: null });
      expect(secondsUntil(row.due_at)).to.be.within(4, 6);
      const [attempt] = await attempts(deliveryId);
      expect(attempt).to.deep.include({
        number: 1,
        status_code: statusCode,
        error_class: errorClass,
        next_attempt_at: row.due_at,
      });
      expect(receiver.requests).to.have.length(1);
    });

  it('without a receiver is retried as well', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    await configure(receiver.url);
    const { paymentId, deliveryId } = await createDelivery();
    await send();
    expect(await delivery(paymentId)).to.include({ status: 'pending', attempts: 1 });
    expect((await attempts(deliveryId))[0]).to.include({
      error_class: 'connect_refused',
      remote_address: null,
    });
  });

  it('is retried at the times of the schedule, each +-20 %, and fails after 11 attempts', async () => {
    const receiver = await listen(() => ({ status: 500 }));
    await configure(receiver.url);
    const { paymentId, deliveryId, eventId } = await createDelivery();
    // The payment expires meanwhile, and its other events have deliveries of their own.
    const posted = () => receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId).length;
    for (const [i, base] of SCHEDULE.entries()) {
      await harness.work();
      const row = await delivery(paymentId);
      expect(row).to.include({ status: 'pending', attempts: i + 1 });
      const wait = secondsUntil(row.due_at);
      expect(wait, `after attempt ${i + 1}`).to.be.within(base * 0.8, base * 1.2);
      harness.advance(wait - 0.001);
      await harness.work();
      expect(posted()).to.equal(i + 1);
      harness.advance(0.001);
    }
    await harness.work();
    expect(await delivery(paymentId)).to.deep.include({
      status: 'failed',
      attempts: 11,
      due_at: null,
      finished_at: harness.ctx.now(),
    });
    const rows = await attempts(deliveryId);
    expect(rows.map(({ number }) => number)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(rows.map(({ started_at }) => started_at).slice(1)).to.deep.equal(
      rows.map(({ next_attempt_at }) => next_attempt_at).slice(0, -1),
    );
    expect(rows.at(-1)?.next_attempt_at).to.equal(null);
    expect(posted()).to.equal(11);
    harness.advance(10 * 86_400);
    await harness.work();
    expect(posted()).to.equal(11);
  });

  it('has the same id and bytes at each attempt, and a new timestamp and signatures', async () => {
    const receiver = await listen((_, index) => ({ status: index < 2 ? 503 : 200 }));
    await configure(receiver.url);
    const { paymentId, deliveryId, eventId } = await createDelivery({
      metadata: { note: 'naïve ☂ "quoted"' },
    });
    for (let i = 0; i < 3; i += 1) {
      await send();
      const { due_at } = await delivery(paymentId);
      harness.advance(due_at === null ? 0 : secondsUntil(due_at));
    }
    const [stored] = await run(harness.ctx.db, bodyOf, { eventId });
    expect(receiver.requests).to.have.length(3);
    const stamps = receiver.requests.map((request) => {
      expect(request.method).to.equal('POST');
      expect(request.rawBody.toString()).to.equal(stored?.body);
      expect(request.headers).to.include({ 'content-type': 'application/json', 'webhook-id': eventId });
      expectSigned(request, [harness.merchant.webhookSecret]);
      return Number(request.headers['x-webhook-timestamp']);
    });
    const rows = await attempts(deliveryId);
    expect(stamps).to.deep.equal(rows.map(({ started_at }) => Math.floor(started_at.getTime() / 1000)));
    expect(new Set(stamps).size).to.equal(3);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-webhook-signature'])).size).to.equal(3);
  });

  it('honours Retry-After, from once to four times the schedule', async () => {
    for (const [retryAfter, least, most] of [
      ['1', 5, 6],
      ['12', 12, 14.4],
      ['3600', 20, 20],
      ['nonsense', 4, 6],
    ] as const) {
      const receiver = await listen(() => ({ status: 429, headers: { 'Retry-After': retryAfter } }));
      await configure(receiver.url);
      const { paymentId } = await createDelivery();
      await send();
      expect(secondsUntil((await delivery(paymentId)).due_at), retryAfter).to.be.within(least, most);
    }
  });

  it('that fails does not delay others of the same payment', async () => {
    const receiver = await listen(({ rawBody }) => ({
      status: rawBody.includes('checkout.created') ? 500 : 200,
    }));
    await configure(receiver.url);
    const id = await shop.create();
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    const [created] = await shop.events(id);
    for (const { event_id, status } of await deliveries(id))
      expect(status).to.equal(event_id === created?.id ? 'pending' : 'delivered');
    expect(receiver.requests).to.have.length(4);
  });

  describe('by configuration', () => {
    it('an event of a merchant without webhooks or without a URL is only recorded, and the log says why', async () => {
      const receiver = await listen();
      await configure(receiver.url, false);
      const disabled = await shop.create();
      await harness.work();
      await configure(null, false);
      const missing = await shop.create();
      await harness.work();
      for (const id of [disabled, missing]) {
        expect(await shop.events(id)).to.have.length(1);
        expect(await delivery(id)).to.include(NOT_SENT);
      }
      // Enabling them later does not send earlier events.
      await configure(receiver.url);
      await harness.work();
      expect(receiver.requests).to.deep.equal([]);
    });

    it('callback_url overrides the URL, and not `enabled`', async () => {
      const [merchants, payments] = [await listen(), await listen()];
      await configure(merchants.url, false);
      const off = await shop.create({ callback_url: payments.url });
      await harness.work();
      expect(await delivery(off)).to.include(NOT_SENT);
      await configure(merchants.url);
      const on = await shop.create({ callback_url: payments.url });
      await shop.create();
      await harness.work();
      expect(
        payments.requests.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.checkout.id),
      ).to.deep.equal([on]);
      expect(merchants.requests).to.have.length(1);
    });

    it("pending deliveries go to a URL that was corrected meanwhile; the payment's own stays", async () => {
      const [broken, corrected] = [await listen(() => ({ status: 404 })), await listen()];
      await configure(broken.url);
      const { paymentId, deliveryId } = await createDelivery();
      const own = await createDelivery({ callback_url: broken.url });
      await send();
      await send(own.endpointId);
      await configure(corrected.url);
      harness.advance(6);
      await harness.work();
      expect(await delivery(paymentId)).to.include({ status: 'delivered', attempts: 2 });
      expect((await attempts(deliveryId)).map(({ url }) => url)).to.deep.equal([broken.url, corrected.url]);
      expect(await delivery(own.paymentId)).to.include({ status: 'pending', attempts: 2 });
      expect(corrected.requests).to.have.length(1);
    });

    it('a retry that falls due while webhooks are disabled waits, and goes on when they are enabled', async () => {
      const receiver = await listen(() => ({ status: 500 }));
      await configure(receiver.url);
      const { paymentId, deliveryId } = await createDelivery();
      await send();
      await configure(receiver.url, false);
      harness.advance(6);
      await harness.work();
      expect(await delivery(paymentId)).to.include({ status: 'pending', failed_because: null, attempts: 1 });
      expect(receiver.requests).to.have.length(1);
      await configure(receiver.url);
      await harness.work();
      expect(await delivery(paymentId)).to.include({ status: 'pending', attempts: 2 });
      expect(await attempts(deliveryId)).to.have.length(2);
      expect(receiver.requests).to.have.length(2);
    });

    it('a delivery that has waited for 20 days fails without a request', async () => {
      const receiver = await listen(() => ({ status: 500 }));
      await configure(receiver.url);
      const { paymentId, deliveryId } = await createDelivery();
      await send();
      await configure(receiver.url, false);
      for (const [day, status] of [
        [19, 'pending'],
        [2, 'failed'],
      ] as const) {
        harness.advance(day * 86_400);
        await harness.work();
        expect((await delivery(paymentId)).status).to.equal(status);
      }
      expect(await delivery(paymentId)).to.include({ ...NOT_SENT, attempts: 1 });
      expect(await attempts(deliveryId)).to.have.length(1);
      expect(receiver.requests).to.have.length(1);
    });
  });

  describe('exactly once', () => {
    it('by four workers at once posts each of 20 once', async () => {
      const receiver = await listen();
      await configure(receiver.url);
      const all = await Promise.all(Array.from({ length: 20 }, () => createDelivery()));
      await Promise.all([1, 2, 3, 4].map(() => send()));
      expect(receiver.requests).to.have.length(20);
      for (const { paymentId } of all)
        expect(await delivery(paymentId)).to.include({ status: 'delivered', attempts: 1, due_at: null });
    });

    it('a run defers to another run that owns the lease', async () => {
      const receiver = await listen(() => hang);
      await configure(receiver.url);
      const { paymentId } = await createDelivery();
      const first = send(undefined, impatient);
      await receiver.waitFor(1);
      await send();
      expect((await delivery(paymentId)).due_at).to.not.equal(null);
      await first;
      expect(receiver.requests).to.have.length(1);
    });

    it('a crash between the POST and its record posts again, with the same id and bytes', async () => {
      const receiver = await listen();
      await configure(receiver.url);
      const { paymentId, deliveryId, eventId } = await createDelivery();
      await harness.ctx.db.raw('ALTER TABLE delivery_attempts ADD CONSTRAINT test_crash CHECK (false)');
      expect(
        await send().then(
          () => 'no error',
          (error: Error) => error.message,
        ),
      ).to.include('test_crash');
      await harness.ctx.db.raw('ALTER TABLE delivery_attempts DROP CONSTRAINT test_crash');
      // While the crashed run's lease lasts, no other run posts.
      harness.advance(LEASE_SECONDS - 0.001);
      await send();
      expect(receiver.requests).to.have.length(1);
      harness.advance(0.001);
      await harness.work();
      const [first, second] = receiver.requests;
      expect(second?.headers['webhook-id']).to.equal(eventId);
      expect(second?.rawBody).to.deep.equal(first?.rawBody);
      expect(await delivery(paymentId)).to.include({ status: 'delivered', attempts: 2, due_at: null });
      expect((await attempts(deliveryId)).map(({ error_class }) => error_class)).to.deep.equal([
        'interrupted',
        null,
      ]);
    });

    describe('a run whose lease another run took over', () => {
      /** A client whose requests the test ends, in the order in which they were posted. */
      const manual = () => {
        const posted: ((result: Partial<DeliveryResult>) => void)[] = [];
        const resultWith = (result: Partial<DeliveryResult>): DeliveryResult => ({
          ok: false,
          statusCode: null,
          errorClass: null,
          errorDetail: null,
          remoteAddress: null,
          durationMs: 1,
          retryAfter: null,
          excerpt: null,
          ...result,
        });
        const manualClient: WebhookClient = {
          post: () => new Promise((resolve) => posted.push((result) => resolve(resultWith(result)))),
          close: () => Promise.resolve(),
        };
        return { posted, client: manualClient };
      };
      const untilPosted = async (posted: unknown[], count: number) => {
        await until(`${count} requests`, () => posted.length === count);
      };

      it('changes nothing of what the others recorded when its request fails', async () => {
        await configure('http://127.0.0.1:9/hooks');
        const { paymentId, deliveryId } = await createDelivery();
        const { posted, client: slow } = manual();
        const first = deliverDue(harness.ctx, slow, harness.merchant.id);
        await untilPosted(posted, 1);
        harness.advance(LEASE_SECONDS);
        const second = deliverDue(harness.ctx, slow, harness.merchant.id);
        await untilPosted(posted, 2);
        posted[1]?.({ statusCode: 500 });
        await second;
        harness.advance(6);
        const third = deliverDue(harness.ctx, slow, harness.merchant.id);
        await untilPosted(posted, 3);
        const before = await delivery(paymentId);
        posted[0]?.({ statusCode: 502 });
        await first;
        expect(await delivery(paymentId)).to.deep.equal(before);
        posted[2]?.({ statusCode: 503 });
        await third;
        expect(await delivery(paymentId)).to.include({ status: 'pending', attempts: 3 });
        // The late outcome replaces the entry of an interrupted attempt.
        expect((await attempts(deliveryId)).map(({ status_code }) => status_code)).to.deep.equal([
          502, 500, 503,
        ]);
      });

      it('records a success', async () => {
        await configure('http://127.0.0.1:9/hooks');
        const { paymentId } = await createDelivery();
        const { posted, client: slow } = manual();
        const first = deliverDue(harness.ctx, slow, harness.merchant.id);
        await untilPosted(posted, 1);
        harness.advance(LEASE_SECONDS);
        const second = deliverDue(harness.ctx, slow, harness.merchant.id);
        await untilPosted(posted, 2);
        posted[0]?.({ ok: true, statusCode: 200 });
        await first;
        posted[1]?.({ statusCode: 500 });
        await second;
        expect(await delivery(paymentId)).to.include({ status: 'delivered', attempts: 2, due_at: null });
      });
    });
  });

  describe('while a rotation overlaps', () => {
    it("the new secret signs the specification's header, both sign the other, until it ends", async () => {
      const receiver = await listen();
      await configure(receiver.url);
      const old = harness.merchant.webhookSecret;
      const fresh = newWebhookSecret();
      const { ctx, merchant } = harness;
      harness.advance(60);
      const overlapEnd = new Date(ctx.now().getTime() + 3_600_000);
      const encrypted = createSecretBox(ctx.config.secretsKeys).encrypt(fresh, merchant.id);
      await ctx.db.raw('UPDATE webhook_secrets SET expires_at = ? WHERE merchant_id = ?', [
        overlapEnd,
        merchant.id,
      ]);
      await ctx.db.raw(
        'INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext) VALUES (?, ?, ?, ?)',
        [merchant.id, ctx.now(), encrypted.keyId, encrypted.ciphertext],
      );
      await createDelivery();
      await send();
      harness.advance(3_600 - 0.001);
      await createDelivery();
      await send();
      harness.advance(0.001);
      await createDelivery();
      await send();
      const [first, last, after] = receiver.requests;
      for (const request of [first, last]) expectSigned(request, [fresh, old]);
      expectSigned(after, [fresh]);
    });
  });

  it('is acquired, recorded and released behind a lock of its endpoint, with less than a round trip each for many', async () => {
    const receiver = await listen();
    await configure(receiver.url);
    await createDelivery();
    expect(await singleStatementsOf(() => send())).to.deep.equal([
      'BEGIN',
      'lock_webhook_endpoints',
      'acquire_endpoints',
      'COMMIT',
      'BEGIN',
      'lock_webhook_endpoints',
      'record_outcomes_of_endpoints',
      'release_endpoints_unless_rescheduled',
      'COMMIT',
    ]);
    for (let i = 0; i < 128; i += 1) await createDelivery();
    const sent = await statementsOf(() => send());
    expect(receiver.requests).to.have.length(129);
    expect(sent.length).to.be.lessThan(128);
  });
});

/**
 * Asserts that `secrets`, newest first, and no others sign the request, by both schemes as a receiver would
 * check them.
 */
function expectSigned(request: ReceivedRequest | undefined, secrets: readonly string[]): void {
  if (request === undefined) throw new Error('no request arrived');
  const { rawBody } = request;
  const headers = request.headers as Record<string, string>;
  const hmac = createHmac('sha256', secrets[0] ?? '')
    .update(`${headers['x-webhook-timestamp']}.`)
    .update(rawBody);
  expect(headers['x-webhook-signature']).to.equal(hmac.digest('hex'));
  expect(headers['webhook-timestamp']).to.equal(headers['x-webhook-timestamp']);
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  expect(signatures).to.have.length(secrets.length);
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  secrets.forEach((secret, i) => {
    expect(new Webhook(secret).sign(headers['webhook-id'] ?? '', sentAt, rawBody.toString())).to.equal(
      signatures[i],
    );
  });
}
