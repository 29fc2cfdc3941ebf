/**
 * Runs the jobs of a sale once, in a process that is made to be killed. Started by
 * `test/domain/payments/sales/killed.slow.test.ts` with DOOM as JSON.
 */
import { openAccount } from '../../src/domain/exchange/open.ts';
import { simulatedRates } from '../../src/domain/chain/simulator/market.ts';
import { sellPayments } from '../../src/domain/payments/sales/sell.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import type { Context } from '../../src/platform/context.ts';
import { createLog } from '../../src/platform/log.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';

export interface Doom {
  readonly env: Environment;
  /** Its clock is fixed at this time. */
  readonly now: string;
  readonly paymentId: string;
}

const doom = JSON.parse(process.env.DOOM ?? '') as Doom;
const config = readConfig(doom.env, QUEUE_NAMES);
const now = () => new Date(doom.now);
const ctx: Context = {
  config,
  log: createLog(config, { process: 'doomed' }),
  db: openDb({ url: config.databaseUrl, poolSize: 2, acquireMs: 5_000, queryMs: 5_000, name: 'doomed' }),
  now,
  systemNow: now,
  random: Math.random,
  testClock: null,
};
await sellPayments(ctx, { accounts: openAccount, rates: simulatedRates }, [doom.paymentId]);
await ctx.db.destroy();
