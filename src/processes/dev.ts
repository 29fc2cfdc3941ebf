import { randomBytes } from 'node:crypto';
import { createServer, isIP, type AddressInfo } from 'node:net';
import { startBackground } from '../background/start.ts';
import { BOARD_PATH } from '../http/operators/pages.ts';
import { startWeb } from '../http/start.ts';
import { StartError, type Config, type Environment } from '../platform/config/config.ts';
import { openAdmin } from './setup/board.ts';
import { demoMerchant, readFacts, writeFacts, type Facts } from './setup/demo.ts';
import { bringUpToDate, NOT_YET, openEmbeddedDatabase } from './setup/embedded.ts';
import { runMain, within, type Lifetime } from './setup/lifetime.ts';
import { openReach } from './setup/adapters.ts';
import { configFrom, createContext, WORKER_DB } from './setup/context.ts';

/** Convenient where nothing is at stake; each can be set in the environment. */
const DEVELOPMENT_DEFAULTS = {
  HOST: '127.0.0.1',
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  SIMULATOR_AUTOPAY_SECONDS: '5',
  SIMULATOR_BLOCK_SECONDS: '1',
  LOG_FORMAT: 'pretty',
};
/** Who presses Ctrl-C waits no longer than this for a request or a webhook; whatever it was comes back at the next start. */
const PATIENCE_SECONDS = 3;

/** A terminal that is closed ends what runs in it, too. */
runMain(main, { signals: ['SIGTERM', 'SIGINT', 'SIGHUP'] });

async function main(lifetime: Lifetime): Promise<void> {
  const known = readFacts();
  const env = environment(known);
  // First of all, before the database of another `npm run dev` in this folder could be touched.
  const asked = configFrom({ DATABASE_URL: NOT_YET, ...env });
  const PORT = String(await freePort(asked.port, asked.host));
  const DATABASE_URL = env.DATABASE_URL ?? (await openEmbeddedDatabase(lifetime));
  if (env.DATABASE_URL !== undefined) await bringUpToDate(DATABASE_URL);

  const config = configFrom({ ...env, PORT, DATABASE_URL });
  const ctx = createContext(lifetime, 'dev', config, WORKER_DB);
  const merchant = await demoMerchant(ctx, known);
  const admin = openAdmin(ctx);
  const background = await startBackground(ctx);
  const web = await startWeb(ctx, { admin: admin.pages, ...openReach(config, lifetime) });
  lifetime.own(async () => {
    const closed = Promise.all([web.close(), background.close(), admin.close()]);
    await within(PATIENCE_SECONDS, closed).catch(() => ctx.log.warn('cut off; it goes on at the next start'));
  });

  const facts = factsOf(config, merchant);
  writeFacts(facts);
  console.log(introduction(facts, background.engine, config.autopaySeconds));
}

/** What is set, a variable without a value aside, and the rest as development likes it. */
function environment(known: Partial<Facts>): Environment {
  const set = Object.entries(process.env).filter(([, value]) => value !== '');
  const ADMIN_PASSWORD = known.admin_password || randomBytes(9).toString('base64url');
  return { ...DEVELOPMENT_DEFAULTS, ADMIN_PASSWORD, ...Object.fromEntries(set) };
}

/** The port itself, or for 0 one that is free now. Throws StartError when it cannot be used. */
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

function factsOf(config: Config, merchant: Pick<Facts, 'api_key' | 'merchant_id' | 'webhook_secret'>): Facts {
  const { host, port, databaseUrl, adminPassword } = config;
  // Loopback and "every address" have a name that people can read; any other host is the only one that answers.
  const isNamed = /^(127\.|0\.0\.0\.0$|::1?$)/.test(host);
  const literal = isIP(host) === 6 ? `[${host}]` : host;
  const baseUrl = `http://${isNamed ? 'localhost' : literal}:${port}`;
  return {
    base_url: baseUrl,
    ...merchant,
    database_url: databaseUrl,
    bull_board_url: `${baseUrl}${BOARD_PATH}`,
    admin_password: adminPassword ?? '',
  };
}

function introduction(facts: Facts, engine: string, autopaySeconds: number | null): string {
  const paid =
    autopaySeconds === null
      ? 'pay it on its page, or with POST /v1/sandbox/payments/:id/transfers'
      : `it pays itself after ${autopaySeconds} s`;
  return `
  The payment checkout service is running (queues on ${engine}).

  API          ${facts.base_url}/v1/status
  Description  ${facts.base_url}/openapi.json
  Queues       ${facts.bull_board_url}  (user admin, password ${facts.admin_password})
  API key      ${facts.api_key}
  All of this  .data/dev.json

  Create a payment; ${paid}:

  curl -s ${facts.base_url}/v1/payment -H 'X-API-Key: ${facts.api_key}' -H 'Content-Type: application/json' -d '{"pay_amount":"25.00","order_id":"order-1"}'

  Then open its checkout_url. Stop with Ctrl-C.
`;
}
