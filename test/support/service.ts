import type { Background } from '../../src/background/start.ts';
import { startBackground } from '../../src/background/start.ts';
import { startWeb } from '../../src/http/start.ts';
import type { Environment } from '../../src/platform/config/config.ts';
import type { Context } from '../../src/platform/context.ts';
import { openOperatorPages } from '../../src/processes/setup/web.ts';
import type { Engine } from './engines.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from './receivers.ts';
import { openShop, type Shop } from './shop.ts';
import { until } from './until.ts';
import { createHarness, type Addresses, type Harness } from './harness.ts';

/**
 * A harness with a real web server, a real receiver of webhooks, and as many real workers as the test starts.
 */
export interface Service {
  readonly harness: Harness;
  readonly shop: Shop;
  readonly receiver: Receiver;
  readonly baseUrl: string;
  /**
   * Starts the workers of another process; `ctx` overrides the harness's. `close()` of the service closes
   * them.
   */
  startWorker(ctx?: Partial<Context>): Promise<Background>;
  /**
   * Requests the web server with the merchant's key; returns status, headers and body (parsed when it is
   * JSON).
   */
  request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: unknown }>;
  /**
   * Waits until `condition` is true, and advances the clock by a tenth of a second while it is not: blocks
   * are mined and jobs become due as fast as the machine can run them. For hours, use `harness.advance`.
   */
  passUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

const STEP_SECONDS = 0.1;

/** `env` as for `createHarness`. Blocks take 50 ms of the harness's clock. */
export async function startService(
  engine: Engine,
  {
    env = {},
    receiver: options = {},
    addresses,
  }: { env?: Environment; receiver?: ReceiverOptions; addresses?: Addresses } = {},
): Promise<Service> {
  const variables = {
    PORT: '0',
    HOST: '127.0.0.1',
    SIMULATOR_BLOCK_SECONDS: '0.05',
    ...(await engine.env()),
    ...env,
  };
  const harness = await createHarness(variables, addresses);
  const shop = await openShop(harness);
  const receiver = await startReceiver(options);
  const admin = openOperatorPages(harness.ctx, {
    kind: 'web',
    health: harness.health,
    queues: () => [],
  });
  const web = await startWeb(harness.ctx, {
    admin: admin.pages,
    adapters: harness.adapters,
    sandbox: harness.sandbox,
    health: harness.health,
  });
  const baseUrl = `http://127.0.0.1:${web.port}`;
  const workers: Background[] = [];
  const service: Service = {
    harness,
    shop,
    receiver,
    baseUrl,
    async startWorker(ctx = {}) {
      const worker = closingOnce(await startBackground({ ...harness.ctx, ...ctx }));
      workers.push(worker);
      return worker;
    },
    async request(method, path, body) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          'X-API-Key': harness.merchant.apiKey,
          Connection: 'close',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? (JSON.parse(text) as unknown) : text,
      };
    },
    passUntil: (what, condition) =>
      until(what, async () => {
        if (await condition()) return true;
        harness.advance(STEP_SECONDS);
        return false;
      }),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await web.close();
      await admin.close();
      await receiver.close();
      await harness.close();
    },
  };
  await service.request('PUT', '/v1/webhooks/config', { webhookUrl: receiver.url, enabled: true });
  return service;
}

function closingOnce(background: Background): Background {
  let closed: Promise<void> | undefined;
  return { ...background, close: () => (closed ??= background.close()) };
}
