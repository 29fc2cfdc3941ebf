import type { Examples } from '../../../src/http/openapi/examples.ts';
import { verifyWebhook } from '../../../src/sdk/index.ts';
import { createHarness } from '../harness.ts';
import { startReceiver } from '../receivers.ts';
import { playEndpoints } from './play-endpoints.ts';
import { playErrors, playOutages } from './play-errors.ts';
import { playEvents, playPayments, playSettledPayment } from './play-payments.ts';
import { playAppearance, playSandbox, playStatus } from './play-sandbox.ts';
import { playDeliveries, playWebhooks } from './play-webhooks.ts';
import { stabilise } from './stable.ts';
import { Tape } from './tape.ts';

/**
 * Runs a service and plays every operation on it, and most errors; returns what was sent and received, with
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
    await playStatus(run);
    await playWebhooks(run);
    const settled = await playPayments(run);
    await playSettledPayment(run, settled);
    await playSandbox(run);
    await playEvents(run, settled);
    await playDeliveries(run, settled);
    await playAppearance(run);
    await playEndpoints(run);
    await playErrors(run, settled);
    await playOutages(run);
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
