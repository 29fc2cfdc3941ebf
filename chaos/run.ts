import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../src/platform/log.ts';
import { redisCommand } from '../test/support/redis.ts';
import { injectFaults, type FaultCounts } from './faults.ts';
import { order, orderAll, type Orders } from './orders.ts';
import { runMatrix } from './matrix/run.ts';
import { planOf, survivorOf } from './plan.ts';
import { startEnvironment, type Environment } from './environment.ts';
import { openShops, type Shop } from './shops.ts';
import { killAll, type Supervised } from './supervised.ts';
import { describeUnfinished, unfinished } from './database.ts';
import { verify } from './verdict.ts';

/**
 * `npm run chaos`: creates 2,000 payments (CHAOS_PAYMENTS) on one web process, two workers, Redis and
 * Postgres, while workers are killed every few seconds, Redis is flushed twice and down for a while, Postgres
 * is restarted, web is killed once, and many receivers are faulty. Then every acknowledged payment and all
 * its events must exist. CHAOS_SEED repeats the plan of faults. A violation prints the processes' logs and
 * sets exit code 1. With arguments it runs the fault matrix instead.
 */
const PAYMENTS = Number(process.env['CHAOS_PAYMENTS'] ?? 2_000);
const SEED = process.env['CHAOS_SEED'] ?? randomBytes(4).toString('hex');
const SECONDS = Math.min(120, Math.max(24, PAYMENTS * 0.06));
/**
 * After the last fault: leases of 30 s, which killed workers leave at several steps of a payment, and the
 * backlog.
 */
const SETTLED_WITHIN_MS = 90_000 + PAYMENTS * 60;
/** Requests that are repeated at the end. */
const REPEATED = 100;
const TAIL_LINES = 15;

const begun = performance.now();
const report = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);

const matrix = process.argv.slice(2);
if (matrix.length > 0) await runMatrix(matrix);
if (redisCommand === null) throw new Error('chaos needs redis-server or valkey-server on the PATH');
report(`${PAYMENTS} payments, chaos for ${Math.round(SECONDS)} s, CHAOS_SEED=${SEED}`);
process.once('exit', killAll);
const environment = await startEnvironment();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void environment.close().finally(() => process.exit(1)));
const faults: string[] = [];
try {
  await chaos(environment);
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
} finally {
  await environment.close();
}
if (faults.length === 0) rmSync(environment.folder, { recursive: true, force: true });
else printFaults(environment);
report(faults.length === 0 ? 'all is well' : `FAILED with CHAOS_SEED=${SEED}`);
// The receivers still listen and would keep the process alive.
process.exit(faults.length === 0 ? 0 : 1);

async function chaos(environment: Environment): Promise<void> {
  const { origin, env } = environment;
  const start = performance.now();
  const shops = await openShops(environment, SEED, () => performance.now() - start < (SECONDS * 1000) / 2);
  report(`${shops.length} shops are open`);
  const orders: Orders = { created: new Map(), retries: 0, faults: [] };
  const load = { name: 'order', count: PAYMENTS, seconds: SECONDS };
  const ordering = orderAll(origin, shops, load, orders);
  const counts: FaultCounts = await injectFaults(planOf(SEED, SECONDS), environment, report);
  await ordering;
  report(`${orders.created.size} payments were created; no more faults follow`);
  await untilFinished(environment);
  if (faults.length === 0) await survivorAlone(environment, shops, orders);
  // A repeated request must return the payment that it created.
  const again = [...orders.created].slice(0, REPEATED);
  await Promise.all(again.map(([key, { shop }]) => order(origin, shop, key, orders)));
  const verdict = await verify(env.DATABASE_URL, origin, shops, orders);
  faults.push(...verdict.faults);
  await endAll(environment);
  print({ ...verdict.counts, ...Object.fromEntries(counts) });
}

/**
 * Waits until all work is finished; what is unfinished after the time limit is a fault, reported with its
 * rows.
 */
async function untilFinished({ env }: Environment): Promise<void> {
  const end = performance.now() + SETTLED_WITHIN_MS;
  for (let poll = 0; ; poll += 1) {
    const left = await unfinished(env.DATABASE_URL);
    const open = Object.entries(left).filter(([, count]) => count > 0);
    if (open.length === 0) return report('nothing is left to do');
    const text = open.map(([what, count]) => `${count} ${what}`).join(', ');
    if (performance.now() > end) {
      const rows = await describeUnfinished(env.DATABASE_URL);
      return void faults.push(`left: ${text}\n${rows.join('\n')}`);
    }
    if (poll % 20 === 0) report(`left: ${text}`);
    await sleep(500);
  }
}

/** The worker that survived most faults works alone: a hanging worker would go unnoticed beside another. */
async function survivorAlone(
  environment: Environment,
  shops: readonly Shop[],
  orders: Orders,
): Promise<void> {
  const survivor = environment.workers[survivorOf(SEED)];
  const other = environment.workers[survivorOf(SEED) === 0 ? 1 : 0];
  await end(other);
  await orderAll(environment.origin, shops, { name: 'alone', count: shops.length, seconds: 0.1 }, orders);
  await untilFinished(environment);
  report(`${survivor.name} works, alone`);
}

/** Stops every process; each must end with exit code 0. */
async function endAll({ web, workers }: Environment): Promise<void> {
  for (const one of [...workers, web]) {
    faults.push(...one.faults);
    await end(one);
  }
}

async function end(one: Supervised): Promise<void> {
  const how = await one.stop();
  if (how !== 0) faults.push(`${one.name} ended with ${how} after SIGTERM`);
}

function print(counts: Readonly<Record<string, number>>): void {
  for (const [what, count] of Object.entries(counts)) console.log(`${what.padEnd(36)}${count}`);
  console.log(`${'seconds'.padEnd(36)}${Math.round((performance.now() - begun) / 1000)}`);
}

function printFaults({ folder, web, workers }: Environment): void {
  for (const one of [web, ...workers] satisfies Supervised[]) {
    const log = one.logs.at(-1) ?? '';
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
    console.log(`\n${log}:\n${lines.map((line) => line.slice(0, 500)).join('\n')}`);
  }
  console.log(`\nThe logs are in ${folder}\n`);
  for (const fault of faults.slice(0, 30)) console.log(`WRONG: ${fault}`);
  if (faults.length > 30) console.log(`... and ${faults.length - 30} more`);
}
