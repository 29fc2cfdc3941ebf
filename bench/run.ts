import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/start.ts';
import { CONNECTIONS, type Bench } from './bench.ts';
import { freePort, runToEnd } from './processes.ts';
import { benchBulk } from './bulk.ts';
import { benchDeliveries } from './deliveries.ts';
import { benchLatency } from './latency.ts';
import { benchNeighbours } from './neighbours.ts';
import { benchPages } from './pages.ts';
import { benchRequests } from './requests.ts';
import { openReceivers } from './receivers.ts';
import { benchSettlement } from './settlement.ts';
import { benchStories } from './stories.ts';
import { benchVerify } from './verify.ts';

/**
 * `npm run bench [-- REQUESTS [PART,PART]]`: runs the build's web and worker processes on this machine, with
 * Postgres's default durability, and prints their figures. This process generates the load on the same
 * machine: compare figures of one run, not of two machines.
 */
const REQUESTS = Number(process.argv[2] ?? 10_000);
const PARTS = (process.argv[3] ?? 'requests,stories,webhooks,neighbours,settlement,bulk,pages,verify').split(
  ',',
);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, 'data'),
  flags: ['-c', 'max_connections=200'],
  log: () => undefined,
});
const redis = await startRedis();
try {
  for (const redisUrl of redis === null ? [''] : ['', redis.url]) await benchEngine(redisUrl);
} finally {
  redis?.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function benchEngine(redisUrl: string): Promise<void> {
  const name = `bench_${redisUrl === '' ? 'postgres' : 'redis'}`;
  const admin = await connect(postgres.url);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://pay.example',
    DATABASE_URL: url.href,
    REDIS_URL: redisUrl,
    PORT: String(port),
    HOST: '127.0.0.1',
    RATE_LIMIT_SCALE: '1000000',
    SIMULATOR_BLOCK_SECONDS: '0.2',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  };
  runToEnd('release', env);
  const db = await connect(url.href);
  const { rows } = await db.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`);
  const headers = { 'x-api-key': await createKey(env, 'Bench'), 'content-type': 'application/json' };
  const postgresPid = parentOf(rows[0]?.pid ?? 0);
  const bench: Bench = { origin: `http://127.0.0.1:${port}`, headers, env, db, postgresPid };
  console.log(
    `\nQueues on ${redisUrl === '' ? 'Postgres' : 'Redis'}; ${REQUESTS} requests on ${CONNECTIONS} connections\n`,
  );
  const receivers = await openReceivers();
  await bench.db.query(`UPDATE merchants SET webhook_url = $1, webhooks_enabled = true`, [receivers.url(1)]);
  if (PARTS.includes('requests')) await benchRequests(bench, REQUESTS);
  if (PARTS.includes('stories')) await benchStories(bench);
  if (PARTS.includes('webhooks')) {
    await benchDeliveries(bench, receivers);
    await benchLatency(bench, receivers);
  }
  if (PARTS.includes('neighbours')) {
    await createKey(env, 'Neighbour');
    await benchNeighbours(bench, receivers, REQUESTS * 5);
  }
  receivers.close();
  if (PARTS.includes('settlement')) await benchSettlement(bench);
  if (PARTS.includes('bulk')) await benchBulk(bench, REQUESTS);
  if (PARTS.includes('pages')) await benchPages(bench);
  // Its database is the same on both engines, and takes minutes to fill.
  if (PARTS.includes('verify') && redisUrl === '') await benchVerify(bench, REQUESTS);
  await db.end();
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // Postgres stops when a part fails, and the part's error is the one to report.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function createKey(env: NodeJS.ProcessEnv, name: string): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      'src/processes/merchants.ts',
      'create',
      '--name',
      name,
      '--currency',
      'USDC',
      '--network',
      'ethereum',
      '--json',
    ],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'exit');
  return (JSON.parse(output) as { api_key: string }).api_key;
}

/** The process that started `pid`. */
function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]).toString());
}

/** Starts a Redis for this run; null when neither redis-server nor valkey-server is installed. */
async function startRedis(): Promise<{ url: string; stop(): void } | null> {
  const port = await freePort();
  for (const program of ['redis-server', 'valkey-server']) {
    const child = spawn(
      program,
      ['--port', String(port), '--save', '', '--appendonly', 'yes', '--dir', folder],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const isRunning = await Promise.race([
      once(child, 'error').then(() => false),
      new Promise<boolean>((resolve) =>
        child.stdout.on('data', (chunk: Buffer) => chunk.includes('Ready to accept') && resolve(true)),
      ),
    ]);
    if (isRunning) return { url: `redis://127.0.0.1:${port}`, stop: () => void child.kill() };
  }
  console.log('No redis-server here: only the queues on Postgres are measured.');
  return null;
}
