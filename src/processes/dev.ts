import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { startBackground } from '../background/start.ts';
import { createMerchant, findCaller } from '../domain/merchants/store.ts';
import { BOARD_PATH } from '../http/admin.ts';
import { startWeb } from '../http/start.ts';
import { PERMISSIONS } from '../platform/endpoint.ts';
import type { Context } from '../platform/context.ts';
import { hashApiKey } from '../platform/ids.ts';
import { openAdmin } from './board.ts';
import { DATA_DIR, openDevelopmentDatabase } from './embedded.ts';
import { configOrExit, createContext, drainOnSignal, runMain, WORKER_DB } from './setup.ts';

const FACTS_FILE = `${DATA_DIR}dev.json`;

/** What `npm run dev` prints, for programs. */
interface Facts {
  readonly base_url: string;
  readonly api_key: string;
  readonly merchant_id: string;
  readonly webhook_secret: string;
  readonly database_url: string;
  readonly bull_board_url: string;
  readonly admin_password: string;
}

/** Convenient where nothing is at stake; each can be set in the environment. */
const DEVELOPMENT_DEFAULTS = {
  HOST: '127.0.0.1',
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  SIMULATOR_AUTOPAY_SECONDS: '5',
  SIMULATOR_BLOCK_SECONDS: '1',
  LOG_FORMAT: 'pretty',
};

runMain(async () => {
  const known = readFacts();
  for (const [name, value] of Object.entries({
    ...DEVELOPMENT_DEFAULTS,
    ADMIN_PASSWORD: known.admin_password ?? randomBytes(9).toString('base64url'),
  }))
    process.env[name] ??= value;
  // First of all, before the database of another `npm run dev` in this folder could be touched.
  await assertPortIsFree(Number(process.env.PORT || 3000), process.env.HOST || '127.0.0.1');
  const database = await openDevelopmentDatabase(process.env.DATABASE_URL);
  process.env.DATABASE_URL = database.url;

  const config = configOrExit();
  const ctx = createContext('dev', config, WORKER_DB);
  const merchant = await demoMerchant(ctx, known);
  const admin = openAdmin(ctx);
  const web = await startWeb(ctx, admin.pages);
  const background = await startBackground(ctx);
  drainOnSignal(ctx.log, async () => {
    await web.close();
    await background.close();
    await admin.close();
    await ctx.db.destroy();
    await database.stop();
  });

  const baseUrl = `http://localhost:${web.port}`;
  const facts: Facts = {
    base_url: baseUrl,
    ...merchant,
    database_url: database.url,
    bull_board_url: `${baseUrl}${BOARD_PATH}`,
    admin_password: config.adminPassword ?? '',
  };
  writeFileSync(FACTS_FILE, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  console.log(introduction(facts, background.engine, config.autopaySeconds));
});

function readFacts(): Partial<Facts> {
  try {
    return JSON.parse(readFileSync(FACTS_FILE, 'utf8')) as Partial<Facts>;
  } catch {
    // The first start, or a file that was cut off: a new merchant is made.
    mkdirSync(DATA_DIR, { recursive: true });
    return {};
  }
}

/** The demo merchant of the last start while its key is still good in this database, else a new one. */
async function demoMerchant(
  ctx: Context,
  known: Partial<Facts>,
): Promise<Pick<Facts, 'api_key' | 'merchant_id' | 'webhook_secret'>> {
  const { api_key, merchant_id, webhook_secret } = known;
  if (api_key !== undefined && merchant_id !== undefined && webhook_secret !== undefined) {
    const caller = await findCaller(ctx.db, hashApiKey(api_key));
    if (caller?.merchantId === merchant_id) return { api_key, merchant_id, webhook_secret };
  }
  const made = await createMerchant(ctx, {
    name: 'Demo shop',
    currency: 'USDC',
    network: 'ethereum',
    permissions: PERMISSIONS,
  });
  return { api_key: made.apiKey, merchant_id: made.merchantId, webhook_secret: made.webhookSecret };
}

async function assertPortIsFree(port: number, host: string): Promise<void> {
  const probe = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    probe.once('error', resolve).listen(port, host, () => resolve(null));
  });
  await new Promise((resolve) => probe.close(resolve));
  if (failure === null) return;
  const reason = failure.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${failure.code})`;
  console.error(`Port ${port} on ${host} ${reason}. Choose another one: PORT=${port + 1} npm run dev`);
  process.exit(1);
}

function introduction(facts: Facts, engine: string, autopaySeconds: number | null): string {
  const paid =
    autopaySeconds === null
      ? 'pay it with POST /v1/sandbox/payments/:id/transfers'
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
