import type { Examples } from '../../../src/http/openapi/examples.ts';
import { verifyWebhook } from '../../../src/sdk/index.ts';
import { createHarness } from '../harness.ts';
import { startReceiver } from '../receivers.ts';
import { recordEndpoints } from './record-endpoints.ts';
import { recordErrors, recordOutages } from './record-errors.ts';
import { recordLinks } from './record-links.ts';
import { recordEvents, recordPayments, recordSettledPayment } from './record-payments.ts';
import { recordAppearance, recordSandbox, recordStatus } from './record-sandbox.ts';
import { recordWallets } from './record-wallets.ts';
import { recordDeliveries, recordWebhooks } from './record-webhooks.ts';
import { stabilise } from './stable.ts';
import { Tape } from './tape.ts';

/**
 * Runs a service and calls every operation of it, and most errors; returns what was sent and received, with
 * stable values for what is drawn at random. Two runs of the same code return the same.
 */
export async function produceExamples(): Promise<Examples> {
  const tape = new Tape();
  const harness = await createHarness({
    PUBLIC_URL: 'https://pay.example',
    SIMULATOR_BLOCK_SECONDS: '1',
    LOG_LEVEL: 'error',
  });
  // The delays of retries differ by chance.
  Object.assign(harness.ctx, { random: () => 0.5 });
  const receiver = await startReceiver({
    answer({ rawBody, headers }) {
      const { webhookSecret } = harness.merchant;
      const { ok } = verifyWebhook({ rawBody, headers, secrets: webhookSecret, now: harness.ctx.now() });
      return { status: ok ? 200 : 401, body: ok ? 'ok' : 'refused' };
    },
  });
  const gone = await startReceiver({ answer: () => ({ status: 410, body: 'gone' }) });
  try {
    const run = { tape, harness, receiverUrl: receiver.url, goneUrl: gone.url };
    await recordStatus(run);
    await recordWebhooks(run);
    const settled = await recordPayments(run);
    await recordSettledPayment(run, settled);
    await recordSandbox(run);
    await recordEvents(run, settled);
    await recordDeliveries(run, settled);
    await recordAppearance(run);
    await recordEndpoints(run);
    await recordWallets(run);
    await recordLinks(run);
    await recordErrors(run, settled);
    await recordOutages(run);
    // Test events and those of the receiver check are of no payment.
    for (const { headers, rawBody } of receiver.requests)
      if (headers['x-webhook-test'] === undefined) tape.keepEvent(rawBody);
  } finally {
    await receiver.close();
    await gone.close();
    await harness.close();
  }
  const { operations, errors, events } = tape;
  return stabilise(
    { operations, errors, events },
    {
      [receiver.url]: 'https://shop.example/hooks',
      [gone.url]: 'https://old-shop.example/hooks',
      '127.0.0.1': '203.0.113.7',
    },
  );
}
