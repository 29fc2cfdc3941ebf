import { randomBytes } from 'node:crypto';
import { messageOf } from '../src/platform/log.ts';
import { redisCommand } from '../test/support/redis.ts';
import { injectFaults, type FaultCounts } from './faults.ts';
import { order, orderAll, type Orders } from './orders.ts';
import { runMatrix } from './matrix/run.ts';
import { planOf, survivorOf } from './plan.ts';
import { Responses } from './responses.ts';
import { openShops, type Shop } from './shops.ts';
import { endBySignals } from './stand/owned-folder.ts';
import { allOf, openStand, type Stand } from './stand/stand.ts';
import { tailOf, type Supervised } from './stand/supervised.ts';
import { untilFinished } from './database.ts';
import { verify } from './verdict.ts';

/**
 * `npm run chaos`: creates 2,000 payments (CHAOS_PAYMENTS) on one web process, two workers, Redis and
 * Postgres, while workers are killed every few seconds, Redis is flushed twice and down for a while, Postgres
 * is restarted, web is killed once, and many receivers are faulty. Then every acknowledged payment and all
 * its events must exist. Before, the same load runs without a fault: limits of time follow what it takes.
 * CHAOS_SEED repeats the plan of faults. A violation prints the processes' logs and sets exit code 1. With
 * arguments it runs the fault matrix instead.
 */
const PAYMENTS = Number(process.env['CHAOS_PAYMENTS'] ?? 2_000);
const SEED = process.env['CHAOS_SEED'] ?? randomBytes(4).toString('hex');
const SECONDS = Math.min(120, Math.max(24, PAYMENTS * 0.06));
const BASELINE_SECONDS = 5;
/** From the baseline's last payment until nothing is left to do, on a machine that has room. */
const USUAL_FINISHED_SECONDS = 15;
/**
 * After the last fault: leases of 30 s, which killed workers leave at several steps of a payment, and the
 * backlog.
 */
const SETTLED_WITHIN_MS = 90_000 + PAYMENTS * 60;
/** Requests that are repeated at the end. */
const REPEATED = 100;
/** For the payments of the worker that works alone: no more at once than before. */
const ALONE_SECONDS = 3;

const begun = performance.now();
const report = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);

endBySignals();
const matrix = process.argv.slice(2);
if (matrix.length > 0) await runMatrix(matrix);
if (redisCommand === null) throw new Error('chaos needs redis-server or valkey-server on the PATH');
report(`${PAYMENTS} payments, chaos for ${Math.round(SECONDS)} s, CHAOS_SEED=${SEED}`);
const stand = await openStand('redis', false);
const responses = new Responses();
const faults: string[] = [];
try {
  await chaos(stand);
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
}
if (faults.length > 0) printFaults(stand);
report(faults.length === 0 ? 'all is well' : `FAILED with CHAOS_SEED=${SEED}`);
// The receivers still listen and would keep the process alive; its end ends all that the stand owns.
process.exit(faults.length === 0 ? 0 : 1);

async function chaos(stand: Stand): Promise<void> {
  const { origin, env } = stand;
  let downUntil = 0;
  const shops = await openShops(stand, SEED, () => performance.now() < downUntil);
  report(`${shops.length} shops are open`);
  const orders: Orders = { created: new Map(), retries: 0, faults: [], responses };
  await measureBaseline(stand, shops, orders);
  downUntil = performance.now() + (SECONDS * 1000) / 2;
  responses.beginFault('chaos');
  // It is killed, and started again at an unknown time.
  responses.webIsHit();
  const ordering = orderAll(origin, shops, { name: 'order', count: PAYMENTS, seconds: SECONDS }, orders);
  const counts: FaultCounts = await injectFaults(planOf(SEED, SECONDS), stand, report);
  await ordering;
  report(`${orders.created.size} payments were created; no more faults follow`);
  await finish(stand);
  responses.webWorks();
  responses.endFault();
  if (faults.length === 0) await survivorAlone(stand, shops, orders);
  // A repeated request must return the payment that it created.
  const again = [...orders.created].slice(0, REPEATED);
  for (const [key, { shop }] of again) await order(origin, shop, key, orders);
  const verdict = await verify(env.DATABASE_URL, origin, shops, orders);
  faults.push(...verdict.faults, ...responses.faults, ...responses.judgeCalm());
  await endAll(stand);
  print({ ...verdict.counts, ...Object.fromEntries(counts) });
}

/** The same load without a fault, to its end. */
async function measureBaseline(stand: Stand, shops: readonly Shop[], orders: Orders): Promise<void> {
  const count = Math.ceil((PAYMENTS * BASELINE_SECONDS) / SECONDS);
  await orderAll(stand.origin, shops, { name: 'before', count, seconds: BASELINE_SECONDS }, orders);
  const start = performance.now();
  await finish(stand);
  if (faults.length > 0) return;
  const seconds = (performance.now() - start) / 1000;
  report(`the baseline: ${responses.endBaseline(seconds, USUAL_FINISHED_SECONDS)}`);
}

/** Waits until all work is finished; what is left after the time limit is a fault. */
async function finish({ env }: Stand): Promise<void> {
  const left = await untilFinished(env.DATABASE_URL, responses.limit(SETTLED_WITHIN_MS), report);
  if (left.length === 0) report('nothing is left to do');
  faults.push(...left);
}

/** The worker that survived most faults works alone: a hanging worker would go unnoticed beside another. */
async function survivorAlone(stand: Stand, shops: readonly Shop[], orders: Orders): Promise<void> {
  const survivor = stand.workers[survivorOf(SEED)];
  const other = stand.workers[survivorOf(SEED) === 0 ? 1 : 0];
  await end(other);
  await orderAll(stand.origin, shops, { name: 'alone', count: shops.length, seconds: ALONE_SECONDS }, orders);
  await finish(stand);
  report(`${survivor.name} works, alone`);
}

/** Stops every process; each must end with exit code 0. */
async function endAll({ web, workers }: Stand): Promise<void> {
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

function printFaults(stand: Stand): void {
  for (const { logs } of allOf(stand)) console.log(`\n${logs.at(-1)}:\n${tailOf(logs.at(-1))}`);
  console.log(`\nThe logs are in ${stand.keepLogs()}\n`);
  for (const fault of faults.slice(0, 30)) console.log(`WRONG: ${fault}`);
  if (faults.length > 30) console.log(`... and ${faults.length - 30} more`);
}
