import { randomBytes } from 'node:crypto';
import { createServer, isIP, type AddressInfo } from 'node:net';
import { startBackground } from '../src/background/start.ts';
import { startWatching } from '../src/domain/watch.ts';
import { BOARD_PATH } from '../src/http/operators/pages.ts';
import { startWeb } from '../src/http/start.ts';
import { StartError, type Config, type Environment } from '../src/platform/config/config.ts';
import { isProduction } from '../src/platform/config/production.ts';
import { renderSite } from '../docs-site/render.ts';
import { demoSignInLink } from './demo-desk.ts';
import { findOrCreateDemoMerchant, readDevInfo, writeDevInfo, type DevInfo } from './demo.ts';
import { migrateDatabase } from '../src/processes/setup/command-context.ts';
import { PLACEHOLDER_URL, openEmbeddedDatabase } from './embedded.ts';
import { runMain, withTimeout, type Lifetime } from '../src/processes/setup/lifetime.ts';
import {
  assertRightClock,
  configFrom,
  createContext,
  openTraces,
  withSecrets,
  WORKER_DB,
} from '../src/processes/setup/context.ts';
import { openHealth } from '../src/processes/setup/health.ts';
import { openWeb } from '../src/processes/setup/web.ts';

/** Defaults for development; the environment overrides each. */
const DEVELOPMENT_DEFAULTS = {
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  SIMULATOR_AUTOPAY_SECONDS: '5',
  SIMULATOR_BLOCK_SECONDS: '1',
  LOG_FORMAT: 'pretty',
};
/**
 * Ctrl-C waits at most this long for a request or a webhook; jobs that were interrupted run again at the next
 * start.
 */
const PATIENCE_SECONDS = 3;

/** It is the watcher, too, of the networks that have providers. */
const READS_CHAINS = { readsChains: true };

/** SIGHUP: the terminal was closed. */
runMain(main, { signals: ['SIGTERM', 'SIGINT', 'SIGHUP'] });

async function main(lifetime: Lifetime): Promise<void> {
  const known = readDevInfo();
  const env = environment(known);
  // Before anything touches the database of another `npm run dev` in this folder.
  const asked = configFrom({ DATABASE_URL: PLACEHOLDER_URL, ...env }, READS_CHAINS);
  const PORT = String(await freePort(asked.port, asked.host));
  const DATABASE_URL = env.DATABASE_URL ?? (await openEmbeddedDatabase(lifetime));
  if (env.DATABASE_URL !== undefined) await migrateDatabase(DATABASE_URL);

  const config = configFrom({ ...env, PORT, DATABASE_URL }, READS_CHAINS);
  const ctx = createContext(lifetime, 'dev', config, WORKER_DB);
  await assertRightClock(ctx);
  await openTraces(ctx, lifetime, 'dev');
  const merchant = await findOrCreateDemoMerchant(ctx, known);
  const background = await startBackground(ctx);
  const watching = startWatching(ctx);
  lifetime.own('networks', () => watching.close());
  const health = await openHealth(ctx, lifetime, 'worker', background.runs);
  const web = await startWeb(ctx, {
    ...(await openWeb(ctx, lifetime, health)),
    docs: (document) => renderSite(document()),
  });
  lifetime.own('processes', async () => {
    const closed = Promise.all([web.close(), background.close()]);
    await withTimeout(PATIENCE_SECONDS, closed).catch(() =>
      ctx.log.warn('shutdown incomplete; interrupted jobs run again at the next start'),
    );
  });

  const info = devInfoOf(config, merchant);
  writeDevInfo(info);
  const link = await demoSignInLink(ctx, merchant.merchant_id);
  console.log(introduction(info, link, background.engine, config.autopaySeconds));
}

/** The environment without empty variables, over the defaults of development. */
function environment(known: Partial<DevInfo>): Environment {
  const set = Object.entries(withSecrets(process.env)).filter(([, value]) => value !== '');
  const ADMIN_PASSWORD = known.admin_password || randomBytes(9).toString('base64url');
  const env: Environment = { ...DEVELOPMENT_DEFAULTS, ADMIN_PASSWORD, ...Object.fromEntries(set) };
  // Production refuses the default of development, which nobody has asked for there.
  return { SIMULATE_LIVE: String(!isProduction(env)), ...env };
}

/** The port itself, or a free one for 0. Throws StartError when it cannot be used. */
async function freePort(port: number, host: string): Promise<number> {
  const probe = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    probe.once('error', resolve).listen(port, host, () => resolve(null));
  });
  const address = probe.address() as AddressInfo | null;
  await new Promise((resolve) => probe.close(resolve));
  if (failure === null) return address?.port ?? port;
  const reason = failure.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${failure.code})`;
  throw new StartError(
    `Port ${port} on ${host} ${reason}. Choose another one: PORT=${(port % 65_535) + 1} npm run dev`,
  );
}

function devInfoOf(
  config: Config,
  merchant: Pick<DevInfo, 'api_key' | 'merchant_id' | 'webhook_secret'>,
): DevInfo {
  const { host, port, adminPort, databaseUrl, adminPassword } = config;
  // Loopback and "every address" are reachable as localhost; any other host only by its own name.
  const isNamed = /^(127\.|0\.0\.0\.0$|::1?$)/.test(host);
  const literal = isIP(host) === 6 ? `[${host}]` : host;
  const origin = `http://${isNamed ? 'localhost' : literal}`;
  const baseUrl = `${origin}:${port}`;
  return {
    base_url: baseUrl,
    ...merchant,
    database_url: databaseUrl,
    bull_board_url: `${origin}:${adminPort ?? port}${BOARD_PATH}`,
    admin_password: adminPassword ?? '',
  };
}

function introduction(info: DevInfo, link: string, engine: string, autopaySeconds: number | null): string {
  const paid =
    autopaySeconds === null
      ? 'pay it on its page, or with POST /v1/sandbox/payments/:id/transfers'
      : `it pays itself after ${autopaySeconds} s`;
  return `
  The payment checkout service is running (queues on ${engine}).

  API          ${info.base_url}/v1/status
  Dashboard    ${link}  (signs in once)
  Documents    ${info.base_url}/docs
  Description  ${info.base_url}/v1/openapi.json
  Queues       ${info.bull_board_url}  (user admin, password ${info.admin_password})
  API key      ${info.api_key}
  Webhooks     signed with ${info.webhook_secret}
  All of this  .data/dev.json

  Create a payment; ${paid}:

  curl -s ${info.base_url}/v1/payment -H 'X-API-Key: ${info.api_key}' -H 'Content-Type: application/json' -d '{"pay_amount":"25.00","order_id":"order-1"}'

  Then open its checkout_url. Stop with Ctrl-C.
`;
}
