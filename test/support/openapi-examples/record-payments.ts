import { createPayment } from '../http.ts';
import type { Harness } from '../harness.ts';
import { recordPsbt } from './record-psbt.ts';
import type { Tape } from './tape.ts';

/** What the recordings share. */
export interface Run {
  readonly tape: Tape;
  readonly harness: Harness;
  /** Verifies what it gets. */
  readonly receiverUrl: string;
  /** Answers 410: its endpoint is switched off. */
  readonly goneUrl: string;
}

interface Created {
  readonly id: string;
}

/** Creates payments, and returns the id of one that the customer has paid. */
export async function recordPayments({ tape, harness, goneUrl }: Run): Promise<string> {
  const least = { pay_amount: '10.50', order_id: 'order-1' };
  const settled = await tape.record<Created>(harness, 'createPayment', 'least', 'With what is needed.', {
    body: least,
  });
  harness.advance(1);
  await tape.record(harness, 'createPayment', 'everything', 'With every field.', {
    body: {
      pay_amount: '49.90',
      order_id: 'order-2',
      order_description: 'Two shirts, size M',
      callback_url: goneUrl,
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      expiration_minutes: 30,
      customer_email: 'customer@example.org',
      metadata: { sku: 'shirt-m' },
      policy: { underpaid: 'accept', underpaid_tolerance_percent: 1, overpaid: 'refund_excess' },
    },
  });
  await tape.record(harness, 'createPayment', 'price', 'With a price in money.', {
    body: { price_amount: '10.50', price_currency: 'EUR', order_id: 'order-9' },
  });
  await tape.fail(harness, 'validation', 'createPayment', { body: { ...least, pay_amount: '-1' } });
  await harness.work();
  await tape.record(
    harness,
    'sendSandboxTransfer',
    'missing',
    "What is still missing, in the payment's coin.",
    {
      id: settled.id,
      body: {},
    },
  );
  await pass(harness);
  return settled.id;
}

/** Reads a settled payment, and refunds a part of it. */
export async function recordSettledPayment({ tape, harness }: Run, id: string): Promise<void> {
  await tape.record(harness, 'getPayment', 'settled', 'A settled payment.', { id });
  await tape.fail(harness, 'validation', 'refundPayment', { id, body: { amount: '1000.00' } });
  await tape.record(harness, 'refundPayment', 'part', 'A part, to where the money came from.', {
    id,
    body: { amount: '2.50', reason: 'One of two shirts came back.', to_sender: true },
  });
  await pass(harness);
  await tape.record(harness, 'listRefunds', 'sent', 'A refund that was sent.', { id });
  // As the customer does on the checkout page.
  const address = { network: 'ethereum', address: '0x52908400098527886E0F7030069857D2E4169EE7' };
  await harness.ctx
    .db('refund_addresses')
    .insert({ payment_id: id, given_at: harness.ctx.now(), sent_at: harness.ctx.now(), ...address });
  await tape.record(harness, 'listRefunds', 'address', 'The customer has given an address.', { id });
  await tape.record(
    harness,
    'clearRefundAddress',
    'cleared',
    'The address is cleared, and asked for again.',
    {
      id,
    },
  );
  await recordAnnouncement({ tape, harness }, id);
  const abandoned = await createPayment(harness, { order_id: 'order-4' });
  await tape.record(harness, 'cancelPayment', 'cancelled', 'The customer has gone elsewhere.', {
    id: abandoned.id,
  });
  // Of a settled payment: money that changes no status.
  await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send({ amount: '1.00' }).expect(201);
  await pass(harness);
  await tape.record(harness, 'listPayments', 'newest', 'The newest payment, and where the list goes on.', {
    query: '?limit=1',
  });
  await tape.fail(harness, 'validation', 'listPayments', {
    query: '?from_date=2026-02-01&to_date=2026-01-31',
  });
}

/** Reads events: of one payment, and all of them. */
export async function recordEvents({ tape, harness }: Run, id: string): Promise<void> {
  const query = '?limit=1';
  await tape.record(harness, 'listPaymentEvents', 'first', 'The first event of a payment.', { id, query });
  await tape.record(harness, 'readEvents', 'oldest', 'The oldest event, and where the feed goes on.', {
    query,
  });
  const { body } = await harness.api('get', `/v1/payment/${id}/events?limit=1`).expect(200);
  const [event] = (body as { data: Created[] }).data;
  await tape.record(harness, 'getEvent', 'created', 'What the link of a thin event names.', {
    id: event?.id ?? '',
  });
  await tape.fail(harness, 'validation', 'getEvent', { id: event?.id ?? '', query: '?thin=true' });
  await tape.fail(harness, 'validation', 'readEvents', { query: '?after=bm90LWEtY3Vyc29y' });
  await tape.fail(harness, 'validation', 'listPaymentEvents', { id, query: '?limit=1000' });
}

/** Lets the blocks pass that confirm a transfer, and does what follows from each. */
export async function pass(harness: Harness): Promise<void> {
  for (let block = 0; block < 14; block += 1) {
    await harness.work();
    harness.advance(1);
  }
  await harness.work();
}

/** A refund as it is while a live merchant pays it: the simulator pays those of this merchant itself. */
async function recordAnnouncement(
  { tape, harness }: Pick<Run, 'tape' | 'harness'>,
  id: string,
): Promise<void> {
  const refunds = () => harness.ctx.db('refunds').where({ payment_id: id, coin_amount: '1.25' });
  const body = { amount: '1.25', address: '0x52908400098527886E0F7030069857D2E4169EE7' };
  const refunded = await harness.api('post', `/v1/payment/${id}/refund`).send(body).expect(201);
  const { id: part } = refunded.body as { id: string };
  await refunds().update({ status: 'AWAITING_SIGNATURE' });
  await tape.record(harness, 'listRefunds', 'unsigned', 'A refund that you have to sign.', { id });
  await tape.record(harness, 'announceRefund', 'sent', 'You have sent it.', {
    id,
    part,
    body: { tx_hash: `0x${'3f'.repeat(32)}` },
  });
  await recordPsbt({ tape, harness }, id, part);
  await refunds().update({ status: 'PENDING', tx_hash: null, is_announced: false, named_at: null });
  await pass(harness);
}
