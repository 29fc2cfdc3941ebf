import { once } from 'node:events';
import { createPayment, listen, pay } from '../../support/http.ts';
import { createHarness } from '../../support/harness.ts';
import { freePort } from '../../support/free-port.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../support/setup.ts';

/**
 * A service for the tools of `.ci/openapi`. It prints one line of JSON: where it listens, a key that may do
 * everything, and a settled payment. It ends with its standard input.
 */
await mochaGlobalSetup();
const port = await freePort();
const harness = await createHarness({
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SIMULATOR_BLOCK_SECONDS: '1',
  WEBHOOK_TIMEOUT_SECONDS: '1',
});
harness.advance((Date.now() - harness.ctx.now().getTime()) / 1000);
const server = await listen(harness.app, port);
const { id } = await createPayment(harness);
await pay(harness, id);
const { apiKey } = harness.merchant;
console.log(JSON.stringify({ base_url: server.url, api_key: apiKey, payment_id: id }));
await once(process.stdin.resume(), 'end');
await server.close();
await harness.close();
await mochaGlobalTeardown();
