import type { Run } from './record-payments.ts';

const NO_ENDPOINT = 'whe_01M7X9Y9E5YM9A1356S2WPNB4R';
const NO_EVENT = 'evt_01M7X9Y9E5YM9A1356S2WPNB4R';
/** The most that a merchant may register at one origin. */
const MOST = 10;

/** Registers endpoints, changes and deletes one, and has events signed by a key pair. */
export async function recordEndpoints({ tape, harness }: Run): Promise<void> {
  const url = 'https://books.example/hooks';
  const { id } = await tape.record<{ id: string }>(
    harness,
    'registerWebhookEndpoint',
    'some-types',
    'For bookkeeping: what was settled or sent back.',
    { body: { url, event_types: ['checkout.settled', 'checkout.refunded'], description: 'Bookkeeping' } },
  );
  await tape.fail(harness, 'validation', 'registerWebhookEndpoint', { body: { url: 'books.example' } });
  await tape.record(harness, 'getWebhookEndpoint', 'untested', 'Nothing was sent there yet.', { id });
  await tape.fail(harness, 'validation', 'getWebhookEndpoint', { id, query: '?full=true' });
  await tape.record(harness, 'setWebhookEndpoint', 'thin', 'Links instead of events, of every type.', {
    id,
    body: { url, payload: 'thin', description: 'Bookkeeping' },
  });
  await tape.fail(harness, 'validation', 'setWebhookEndpoint', { id, body: { url, payload: 'small' } });
  await tape.record(harness, 'getWebhookEndpointSecrets', 'own', 'A secret of its own.', { id });
  await tape.fail(harness, 'validation', 'getWebhookEndpointSecrets', { id, query: '?all=true' });
  await tape.record(harness, 'rotateWebhookEndpointSecret', 'a-day', 'The old one signs for another day.', {
    id,
    body: { overlap_hours: 24 },
  });
  await tape.fail(harness, 'validation', 'rotateWebhookEndpointSecret', { id, body: { overlap_hours: -1 } });
  for (let count = 1; count < MOST; count += 1)
    await harness.api('post', '/v1/webhooks/endpoints').send({ url }).expect(201);
  await tape.fail(harness, 'too_many_endpoints', 'registerWebhookEndpoint', { body: { url } });
  const other = await harness.api('post', '/v1/webhooks/endpoints').send({ url: 'https://stock.example/' });
  const moved = { id: String(other.body.id), body: { url } };
  await tape.fail(harness, 'too_many_endpoints', 'setWebhookEndpoint', moved);
  await tape.record(harness, 'deleteWebhookEndpoint', 'deleted', 'What it was.', { id });
  await tape.fail(harness, 'validation', 'deleteWebhookEndpoint', { id, query: '?force=true' });
  await tape.fail(harness, 'endpoint_not_found', 'getWebhookEndpoint', { id: NO_ENDPOINT });
  await tape.record(harness, 'rotateSigningKey', 'first', 'The first key pair.', { body: {} });
  await tape.fail(harness, 'validation', 'rotateSigningKey', { body: { overlap_hours: 200 } });
  await tape.record(harness, 'getSigningKeys', 'current', 'One is in force.');
  await tape.fail(harness, 'validation', 'getSigningKeys', { query: '?all=true' });
  await tape.record(harness, 'getJwks', 'current', 'As receivers read it.', { id: harness.merchant.id });
  await tape.fail(harness, 'validation', 'getJwks', { id: harness.merchant.id, query: '?all=true' });
  await tape.fail(harness, 'event_not_found', 'getEvent', { id: NO_EVENT });
}
