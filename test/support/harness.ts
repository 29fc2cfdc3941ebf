import { renderSite } from '../../docs-site/render.ts';
import type { Express } from 'express';
import supertest from 'supertest';
import { runHandler } from '../../src/background/runs/run-job.ts';
import { createHandlers, scheduleRecurring } from '../../src/background/workers.ts';
import { contextOfTestClock } from '../../src/domain/payments/lifecycle/test-clock.ts';
import { createMerchant, type NewMerchant } from '../../src/domain/merchants/store.ts';
import { closeAdapters, createAdapters, type Adapters } from '../../src/domain/adapters.ts';
import type { Sandbox } from '../../src/domain/sandbox/test-clock/sandbox.ts';
import type { HealthSource } from '../../src/domain/ops/health/monitor.ts';
import { createApp } from '../../src/http/app.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import type { Context } from '../../src/platform/context.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { PERMISSIONS } from '../../src/domain/api/endpoint.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { createLog } from '../../src/platform/log.ts';
import { openReplica } from '../../src/processes/setup/context.ts';
import { watchResponses } from './documented.ts';
import { lookingHealth } from './health.ts';
import { leaseAll } from './lease.ts';
import { createTestDatabase } from './postgres.ts';

export interface TestMerchant {
  readonly id: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** A whole service in this process, on its own database; its clock changes only when the test advances it. */
export interface Harness {
  readonly ctx: Context;
  readonly app: Express;
  /** The adapters; webhooks are really sent. */
  readonly adapters: Adapters;
  /** What runs due jobs within a request; null with SANDBOX=off. */
  readonly sandbox: Sandbox | null;
  /** Looks with each report. */
  readonly health: HealthSource;
  readonly merchant: TestMerchant;
  /** Moves the clock; what becomes due by that waits for `work`. */
  advance(seconds: number): void;
  /**
   * Does all work that is due at the clock's time, with the real handlers, until nothing is due any more.
   * Default: with the harness's own adapters.
   */
  work(adapters?: Adapters): Promise<void>;
  addMerchant(merchant?: Partial<NewMerchant>): Promise<TestMerchant>;
  /**
   * A request with the merchant's key (or another's): `await harness.api('post', '/v1/payment').send({...})`.
   */
  api(
    method: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'head',
    path: string,
    apiKey?: string | null,
  ): supertest.Test;
  close(): Promise<void>;
}

/** 2026-01-31 is a Saturday and the end of a month: an ordinary day would hide mistakes. */
/** The time at which every harness begins. */
export const BEGIN = new Date('2026-01-31T12:00:00.000Z');

/** The variables that name the database whose own URL is given: by way of a pooler, for example. */
export type Addresses = (databaseUrl: string) => Environment | Promise<Environment>;

/**
 * `env` are variables as an operator would set them; private networks are allowed and limits are wide unless
 * it says otherwise.
 */
export async function createHarness(
  env: Environment = {},
  addresses: Addresses = (url) => ({ DATABASE_URL: url }),
): Promise<Harness> {
  const database = await createTestDatabase();
  const defaults = {
    NODE_ENV: 'test',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    RATE_LIMIT_SCALE: '10000',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
  };
  const config = readConfig({ ...defaults, ...env, ...(await addresses(database.url)) }, QUEUE_NAMES);
  let time = BEGIN;
  const log = createLog(config, { process: 'test' });
  const replica = openReplica(config, log, 'test');
  const ctx: Context = {
    config,
    log,
    db: openDb({ url: config.databaseUrl, poolSize: 20, acquireMs: 10_000, queryMs: 20_000, name: 'test' }),
    now: () => time,
    systemNow: () => time,
    random: Math.random,
    testClock: null,
    ...(replica === null ? {} : { replica }),
  };
  const adapters = createAdapters(config);
  const handlers = createHandlers(adapters);
  const sandbox = config.sandbox ? { adapters, handlersFor: createHandlers } : null;
  // Created where it is used: compiling the schemas of all endpoints takes half the time of creating a
  // harness.
  let app: Express | null = null;
  const health = lookingHealth(ctx, adapters);
  const openApp = () => {
    // Where probes are, before everything else that answers: it sees all responses.
    const probes = watchResponses({ adapters, sandbox, health });
    return (app ??= createApp(ctx, {
      redis: null,
      admin: null,
      probes,
      adapters,
      sandbox,
      health,
      docs: (document) => renderSite(document()),
    }));
  };
  const addMerchant = async (merchant: Partial<NewMerchant> = {}): Promise<TestMerchant> => {
    const made = await createMerchant(ctx, {
      name: 'Shop',
      currency: 'USDC',
      network: 'ethereum',
      permissions: PERMISSIONS,
      ...merchant,
    });
    return { id: made.merchantId, apiKey: made.apiKey, webhookSecret: made.webhookSecret };
  };
  const merchant = await addMerchant();
  await scheduleRecurring(ctx, handlers);
  return {
    ctx,
    get app() {
      return openApp();
    },
    adapters,
    sandbox,
    health,
    merchant,
    addMerchant,
    advance(seconds) {
      time = addSeconds(time, seconds);
    },
    async work(own) {
      const all = own === undefined ? handlers : createHandlers(own);
      for (;;) {
        // A lease of nothing: work that its handler leaves undone would be found again at once, and the test
        // would hang, visibly.
        const due = await leaseAll(ctx.db, ctx.now(), addSeconds(ctx.now(), 0.001));
        if (due.length === 0) return;
        for (const [name, handler] of all) {
          const jobs = due.filter(({ job }) => job === name);
          const keys = jobs.filter(({ test_clock }) => test_clock === null).map(({ key }) => key);
          if (keys.length > 0) await runHandler(ctx, handler, keys);
          // As a run does: alone, by the clock of its harness.
          for (const { key, test_clock } of jobs) {
            const entered = test_clock === null ? null : await contextOfTestClock(ctx, test_clock);
            if (entered !== null) await runHandler(entered, handler, [key]);
          }
        }
      }
    },
    api(method, path, apiKey = merchant.apiKey) {
      const request = supertest(openApp())[method](path);
      return apiKey === null ? request : request.set('X-API-Key', apiKey);
    },
    async close() {
      await closeAdapters(adapters);
      await replica?.destroy();
      await ctx.db.destroy();
      await database.drop();
    },
  };
}
