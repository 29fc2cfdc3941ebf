import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { statSync, utimesSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant } from '../../src/domain/merchants/store.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { PERMISSIONS } from '../../src/domain/api/endpoint.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { build, endAll, freePort, startProcess, type Service } from './service.ts';

/**
 * A database with a merchant, and the variables for the processes that serve it: what production has, with a
 * quick chain.
 */
export interface Stand {
  readonly env: Environment;
  readonly db: Db;
  readonly merchant: { readonly id: string; readonly apiKey: string };
  /**
   * Starts a web process on a free port and waits until it listens. `mayFail`: the test expects errors that
   * nothing handles.
   */
  startWeb(env?: Environment, options?: { mayFail?: boolean }): Promise<Web>;
  /**
   * Starts a worker and waits until it works. Each has a folder of its own for temporary files, as in a
   * container.
   */
  startWorker(env?: Environment): Promise<Worker>;
  /** Reads rows, as a test looks at the truth. */
  rows<Row>(query: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface Web extends Service {
  readonly port: number;
  /** A request with the merchant's key. */
  api(method: string, path: string, body?: unknown): Promise<Response>;
}

export interface Worker extends Service {
  /** Runs the container's health check and answers its exit code. */
  health(): Promise<number | NodeJS.Signals | null>;
  readonly folder: string;
  /** As if the worker had given its last sign so many seconds ago. */
  age(seconds: number): void;
}

/** `database`: one that has the schema. Default: a copy of the run's template. */
export async function createStand(extra: Environment = {}, database?: TestDatabase): Promise<Stand> {
  build();
  database ??= await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'test-processes-'));
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://pay.example',
    HOST: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    SIMULATOR_AUTOPAY_SECONDS: '0',
    SIMULATOR_BLOCK_SECONDS: '0.1',
    RATE_LIMIT_SCALE: '10000',
    ...extra,
  };
  const config = readConfig(env);
  const db = openDb({ url: database.url, poolSize: 5, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
  const ctx = {
    config,
    db,
    log: createLog(config, { process: 'test' }),
    now: () => new Date(),
    systemNow: () => new Date(),
    random: Math.random,
    testClock: null,
  };
  const made = await createMerchant(ctx, {
    name: 'Shop',
    currency: 'USDC',
    network: 'ethereum',
    permissions: PERMISSIONS,
  });
  return {
    env,
    db,
    merchant: { id: made.merchantId, apiKey: made.apiKey },
    async startWeb(more = {}, options = {}) {
      const port = await freePort();
      const web = startProcess('web', { ...env, PORT: String(port), TMPDIR: folder, ...more }, [], options);
      await web.says('"listening"');
      const headers = { 'X-API-Key': made.apiKey, 'Content-Type': 'application/json' };
      return {
        ...web,
        port,
        api: (method, path, body) =>
          fetch(`http://127.0.0.1:${port}${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
      };
    },
    async startWorker(more = {}) {
      const own = await mkdtemp(join(folder, 'worker-'));
      const variables = { ...env, TMPDIR: own, ...more };
      const worker = startProcess('worker', variables);
      await worker.says('"working"');
      return {
        ...worker,
        folder: own,
        health: () => startProcess('worker-health', variables).ended(),
        age(seconds) {
          const file = join(own, `payment-checkout-worker.${hostname()}.${worker.pid}.beat`);
          const time = statSync(file).mtimeMs / 1000 - seconds;
          utimesSync(file, time, time);
        },
      };
    },
    async rows<Row>(query: string, values: readonly unknown[] = []) {
      const { rows } = (await db.raw(query, values as [])) as { rows: Row[] };
      return rows;
    },
    async close() {
      await endAll();
      await db.destroy();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
