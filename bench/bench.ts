import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { load } from './load.ts';
import { connect, copyDatabase, dropDatabase, startRedis, type Machine, type Redis } from './machine.ts';
import { freePort, runToEnd, startService, stopAll } from './processes.ts';
import type { Row } from './table.ts';

/** What a part has for itself: databases with a merchant and one payment, and no process yet. */
export interface Bench {
  readonly machine: Machine;
  /** Where the queues are. */
  readonly engine: 'postgres' | 'redis';
  /** Where a web process of `env` serves. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of another merchant. */
  readonly otherHeaders: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  readonly db: Client;
  readonly merchantId: string;
  /** The postmaster, the parent of all backends. */
  readonly postgresPid: number;
  readonly redisPid: number | null;
  /** A copy of the database for the floor, without triggers, and a Redis of its own. */
  readonly floor: {
    readonly origin: string;
    readonly env: NodeJS.ProcessEnv;
    readonly db: Client;
    readonly redisPid: number | null;
  };
  /** At least five, of which the median counts; one where nothing is judged. */
  readonly rounds: number;
  /** Whether counts are so small that figures mean nothing. */
  readonly isQuick: boolean;
  report(row: Row): void;
  /** Stops all its processes, and drops its databases. */
  close(): Promise<void>;
}

export type BenchOptions = Pick<Bench, 'engine' | 'rounds' | 'isQuick' | 'report'>;

export const CONNECTIONS = 64;
const TEMPLATE = 'bench_template';
let count = 0;

/** What all databases have in common. */
export interface Template {
  readonly machine: Machine;
  readonly env: NodeJS.ProcessEnv;
  readonly key: string;
  readonly otherKey: string;
  readonly merchantId: string;
}

/** Releases a database, and creates two merchants in it, and one payment by the API, which others copy. */
export async function createTemplate(machine: Machine): Promise<Template> {
  const url = await copyDatabase(machine, 'template0', TEMPLATE);
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://pay.example',
    DATABASE_URL: url,
    REDIS_URL: '',
    PORT: String(port),
    HOST: '127.0.0.1',
    RATE_LIMIT_SCALE: '1000000',
    SIMULATOR_BLOCK_SECONDS: '0.2',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  };
  await runToEnd('release', env);
  const { api_key: key, merchant_id: merchantId } = await createMerchant(env, 'Bench');
  const { api_key: otherKey } = await createMerchant(env, 'Neighbour');
  const web = await startService('web', env);
  await load(`http://127.0.0.1:${port}`, {
    headers: headersOf(key),
    connections: 1,
    count: 1,
    next: () => ({
      method: 'POST',
      path: '/v1/payment',
      body: '{"pay_amount":"10.50","order_id":"order-0"}',
    }),
  });
  await web.stop();
  const db = await connect(url);
  await db.query('TRUNCATE scheduled_jobs');
  await db.end();
  return { machine, env, key, otherKey, merchantId };
}

/** Gives a part its databases, and Redis where the queues are there. */
export async function openBench(template: Template, options: BenchOptions): Promise<Bench> {
  const { machine, key, otherKey, merchantId } = template;
  count += 1;
  const names = [`bench_${count}`, `bench_${count}_floor`] as const;
  const ours = await openSide(template, names[0], options.engine);
  const floor = await openSide(template, names[1], options.engine);
  // What the service has Postgres do beside its rows is no work of the floor's.
  await floor.db.query(`DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT DISTINCT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0 LOOP
      EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
    END LOOP; END $$`);
  return {
    ...options,
    machine,
    origin: ours.origin,
    headers: headersOf(key),
    otherHeaders: headersOf(otherKey),
    env: ours.env,
    db: ours.db,
    merchantId,
    postgresPid: machine.postgres.pid,
    redisPid: ours.redis?.pid ?? null,
    floor: {
      origin: floor.origin,
      env: { ...floor.env, FLOOR_MERCHANT: merchantId },
      db: floor.db,
      redisPid: floor.redis?.pid ?? null,
    },
    async close() {
      await Promise.allSettled([ours.db.end(), floor.db.end()]);
      await stopAll({ last: false });
      for (const name of names) await dropDatabase(machine, name);
    },
  };
}

async function openSide({ machine, env }: Template, name: string, engine: Bench['engine']) {
  const url = await copyDatabase(machine, TEMPLATE, name);
  const port = await freePort();
  const redis: Redis | null = engine === 'redis' ? await startRedis(machine) : null;
  return {
    origin: `http://127.0.0.1:${port}`,
    env: { ...env, DATABASE_URL: url, REDIS_URL: redis?.url ?? '', PORT: String(port) },
    db: await connect(url),
    redis,
  };
}

function headersOf(key: string) {
  return { 'x-api-key': key, 'content-type': 'application/json' };
}

async function createMerchant(env: NodeJS.ProcessEnv, name: string) {
  const options = ['--name', name, '--currency', 'USDC', '--network', 'ethereum', '--json'];
  const output = await runToEnd('merchants', env, { args: ['create', ...options] });
  return JSON.parse(output) as { api_key: string; merchant_id: string };
}

/** Has the merchant's events delivered: a payment's own URL needs that too. */
export async function enableWebhooks({ db, merchantId }: Bench, url: string): Promise<void> {
  await db.query('UPDATE merchants SET webhook_url = $2, webhooks_enabled = true WHERE id = $1', [
    merchantId,
    url,
  ]);
}
