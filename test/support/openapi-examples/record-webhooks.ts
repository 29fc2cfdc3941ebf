import { untilFeedsAreWhole } from '../feed.ts';
import type { Run } from './record-payments.ts';

/** Sets up a receiver, and tests it. */
export async function recordWebhooks({ tape, harness, receiverUrl }: Run): Promise<void> {
  await tape.record(harness, 'setWebhookConfig', 'enabled', 'Send events to a URL.', {
    body: { webhookUrl: receiverUrl, enabled: true },
  });
  await tape.fail(harness, 'validation', 'setWebhookConfig', { body: { webhookUrl: null, enabled: true } });
  await tape.record(harness, 'sendTestEvent', 'settled', 'An event of one type, to the webhookUrl.', {
    body: { type: 'checkout.settled' },
  });
  await tape.fail(harness, 'validation', 'sendTestEvent', { body: { type: 'checkout.paid' } });
  await tape.record(harness, 'examineReceiver', 'passed', 'A receiver that passes every case.', { body: {} });
  await tape.fail(harness, 'validation', 'examineReceiver', { body: { url: 'shop.example' } });
}

/** Reads what became of events, sends some again, and rotates the secret. */
export async function recordDeliveries({ tape, harness, goneUrl }: Run, settled: string): Promise<void> {
  await tape.record(harness, 'getWebhookConfig', 'healthy', 'The latest deliveries were accepted.');
  await tape.record(
    harness,
    'listWebhookEndpoints',
    'both',
    'The webhookUrl, and one that was switched off.',
  );
  await tape.fail(harness, 'validation', 'listWebhookEndpoints', { query: '?state=broken' });
  const { data } = await tape.record<{ data: { id: string }[] }>(
    harness,
    'listDeliveries',
    'newest',
    'The newest delivery of a payment.',
    { query: `?payment_id=${settled}&limit=1` },
  );
  await tape.fail(harness, 'validation', 'listDeliveries', { query: '?status=lost' });
  const id = data[0]?.id ?? '';
  await tape.record(harness, 'getDelivery', 'delivered', 'Accepted with the first attempt.', { id });
  await tape.record(harness, 'redeliver', 'again', 'It is due at once.', { id, body: {} });
  await untilFeedsAreWhole(harness.ctx.db);
  await harness.work();
  const refused = (await harness.api('get', '/v1/webhooks/deliveries?status=failed&limit=1').expect(200))
    .body as { data: { id: string }[] };
  await tape.fail(harness, 'endpoint_off', 'redeliver', { id: refused.data[0]?.id ?? '' });
  await tape.record(harness, 'listRedeliveries', 'one', 'An event that was asked for again.', {
    query: '?limit=1',
  });
  await tape.fail(harness, 'validation', 'listRedeliveries', { query: '?after=bm90LWEtY3Vyc29y' });
  await tape.record(harness, 'enableWebhookEndpoint', 'callback', 'A callback_url of a payment.', {
    body: { url: goneUrl },
  });
  await tape.record(harness, 'redeliverRange', 'failed', 'What was not delivered on a day.', {
    body: { from_date: '2026-01-31', to_date: '2026-01-31' },
  });
  await tape.fail(harness, 'validation', 'redeliverRange', { body: { from_date: 'yesterday' } });
  await tape.fail(harness, 'endpoint_not_found', 'enableWebhookEndpoint', {
    body: { url: 'https://other-shop.example/hooks' },
  });
  await tape.fail(harness, 'validation', 'enableWebhookEndpoint', { body: { url: 'shop.example' } });
  await tape.record(harness, 'rotateWebhookSecret', 'a-day', 'The old secret signs for another day.', {
    body: { overlap_hours: 24 },
  });
  await tape.fail(harness, 'validation', 'rotateWebhookSecret', { body: { overlap_hours: 200 } });
  await tape.record(harness, 'getWebhookSecrets', 'overlap', 'A rotation overlaps.');
}
