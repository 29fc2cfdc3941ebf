import { logo } from '../images.ts';
import { createPayment } from '../http.ts';
import { pass, type Run } from './record-payments.ts';

export async function recordStatus({ tape, harness }: Run): Promise<void> {
  await harness.work();
  await tape.record(harness, 'getStatus', 'with-key', 'With a valid key.');
  await tape.record(harness, 'getStatus', 'without-key', 'Without a key.', { apiKey: null });
  await tape.fail(harness, 'validation', 'getStatus', { query: '?verbose=true' });
}

/** Acts as the customer, advances a clock, and runs scenarios. */
export async function recordSandbox({ tape, harness }: Run): Promise<void> {
  const other = await createPayment(harness, { order_id: 'order-3' });
  await tape.record(
    harness,
    'sendSandboxTransfer',
    'another-coin',
    'In another coin than the settlement coin.',
    {
      id: other.id,
      body: { coin: 'USDT', network: 'polygon', amount: '10.50' },
    },
  );
  await tape.fail(harness, 'validation', 'sendSandboxTransfer', {
    id: other.id,
    body: { coin: 'BTC', network: 'tron' },
  });
  harness.advance(1);
  const replaced = await createPayment(harness, { order_id: 'order-4' });
  await harness.api('post', `/v1/sandbox/payments/${replaced.id}/transfers`).expect(201);
  await harness.work();
  await tape.record(harness, 'replaceSandboxTransfer', 'latest', 'The latest transfer that stands.', {
    id: replaced.id,
    body: {},
  });
  await tape.fail(harness, 'nothing_to_replace', 'replaceSandboxTransfer', {
    id: replaced.id,
    body: { transfer: 7 },
  });
  await tape.fail(harness, 'validation', 'replaceSandboxTransfer', {
    id: replaced.id,
    body: { transfer: 0 },
  });
  await pass(harness);
  const expired = await createPayment(harness, { order_id: 'order-5' });
  await harness.work();
  await tape.record(
    harness,
    'advanceSandboxClock',
    'deadline',
    'Beyond the deadline of a payment that nobody paid.',
    {
      id: expired.id,
      body: { by: '61m' },
    },
  );
  await tape.fail(harness, 'validation', 'advanceSandboxClock', { id: expired.id, body: { by: 'an hour' } });
  await tape.record(harness, 'moveSandboxRates', 'bitcoin', 'Bitcoin costs 10 % more, for requotes.', {
    body: { rates: { BTC: '66000' } },
  });
  await tape.fail(harness, 'validation', 'moveSandboxRates', { body: { rates: { BTC: '0' } } });
  await tape.record(harness, 'moveSandboxRates', 'restored', 'The fixed price again.', {
    body: { rates: { BTC: null } },
  });
  await recordScenarios({ tape, harness });
}

async function recordScenarios({ tape, harness }: Pick<Run, 'tape' | 'harness'>): Promise<void> {
  await tape.record(harness, 'playScenario', 'script', 'A script: a customer pays one part, and no other.', {
    body: {
      payment: { pay_amount: '10.50', order_id: 'order-6', expiration_minutes: 5 },
      script: [
        { at: '1m', do: 'transfer', amount: '4.00' },
        { at: '5m', do: 'mine', blocks: 1 },
      ],
      seed: 'any text',
      ids: 'stable',
    },
  });
  await tape.recordRequest(harness, 'playScenario', 'story', 'A story of the library.', {
    body: { story: 'overpaid' },
  });
  await tape.fail(harness, 'validation', 'playScenario', { body: { story: 'paid', script: [] } });
}

export async function recordAppearance({ tape, harness }: Run): Promise<void> {
  await tape.record(harness, 'getAppearance', 'default', 'Nothing was set.');
  await tape.record(harness, 'setAppearance', 'shop', 'A name, a colour, and what customers can pay with.', {
    body: {
      name: 'Shirts & Co.',
      support_url: 'mailto:help@shop.example',
      accent_color: '#0a56c7',
      display_currency: 'EUR',
      methods: [
        { coin: 'USDC', network: 'polygon' },
        { coin: 'BTC', network: 'bitcoin' },
      ],
      embed_origins: ['https://shop.example'],
    },
  });
  await tape.fail(harness, 'validation', 'setAppearance', { body: { accent_color: 'blue' } });
  await tape.record(harness, 'setLogo', 'png', 'An image was set.', { image: await logo() });
  await tape.fail(harness, 'validation', 'setLogo', { image: Buffer.from('not an image') });
  await tape.record(harness, 'deleteLogo', 'removed', 'The name stays.');
}
