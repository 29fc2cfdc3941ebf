import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/platform/log.ts';
import { untilFinished } from '../database.ts';
import type { Orders } from '../orders.ts';
import { Responses, type Figures } from '../responses.ts';
import { openShops, type Shop } from '../shops.ts';
import { allOf, openStand, type Engine, type Stand } from '../stand/stand.ts';
import { verify } from '../verdict.ts';
import { watchConnections } from './connections.ts';
import type { Fault } from './fault.ts';
import { planOf } from './faults.ts';
import { startLoad, type Load } from './load.ts';
import { timeToBeWell } from './well.ts';

/** All must be well this long after the end of a fault; stretched, like all limits, by the baseline. */
const WELL_WITHIN_SECONDS = 60;
/** What that takes without a fault on a machine that has room. */
const USUAL_WELL_SECONDS = 5;
/** For so long the load runs before the first fault. */
const BASELINE_SECONDS = 8;
/** Leases of 30 s, retries of webhooks, and backlogs; from the last fault's end. */
const FINISHED_WITHIN_MS = 120_000;
/** What a fault takes beside its own length: restarts, being well, the pause before it. */
const AROUND_SECONDS = 15;
const CALM_SECONDS = 2;

/** A line of the table. */
export interface Row {
  readonly engine: Engine;
  readonly fault: string;
  /** When `/v1/status` was no longer ok, in seconds after the begin; null: it stayed ok. */
  readonly redAfter: number | null;
  /** null: not in time. */
  readonly wellAfter: number | null;
  readonly figures: Figures;
}

export interface EngineRun {
  readonly rows: readonly Row[];
  readonly leftOut: readonly string[];
  readonly faults: readonly string[];
  readonly summary: string;
  /** The folder of the processes' logs, kept when something is wrong. */
  readonly logs: string | null;
}

interface Run {
  readonly stand: Stand;
  readonly shop: Shop;
  readonly orders: Orders;
  readonly load: Load;
  readonly responses: Responses;
  readonly report: (line: string) => void;
}

/** Runs the faults of an engine one after the other under load, as far as they fit in `seconds`. */
export async function runEngine(
  engine: Engine,
  { seed, names, seconds }: { seed: string; names: readonly string[] | null; seconds: number },
  report: (line: string) => void,
): Promise<EngineRun> {
  const plan = planOf(engine, seed, names);
  const stand = await openStand(
    engine,
    plan.some(({ impossible }) => impossible !== undefined),
  );
  const faults: string[] = [];
  const responses = new Responses();
  const orders: Orders = { created: new Map(), retries: 0, faults: [], responses };
  try {
    const shops = await openShops(stand, seed, () => false);
    const [shop] = shops;
    if (shop === undefined) throw new Error('no shop is open');
    const load = startLoad(stand.origin, shops, orders);
    const connections = watchConnections(stand, faults);
    const run: Run = { stand, shop, orders, load, responses, report };
    const { rows, leftOut, failed } = await injectAll(plan, run, seconds);
    await load.stop();
    await connections.stop();
    faults.push(...failed);
    for (const { fault, wellAfter } of rows)
      if (wellAfter === null)
        faults.push(`not well within ${responses.limit(WELL_WITHIN_SECONDS)} s after "${fault}"`);
    const url = stand.env.DATABASE_URL.replace(/\?.*/, '');
    faults.push(...(await untilFinished(url, responses.limit(FINISHED_WITHIN_MS), () => undefined)));
    const verdict = await verify(url, stand.origin, shops, orders);
    faults.push(...verdict.faults, ...responses.faults, ...responses.judgeCalm());
    faults.push(...allOf(stand).flatMap((one) => one.faults));
    const { calm } = responses;
    const counts = [...responses.counts].map(([status, count]) => `${status}: ${count}`).join(', ');
    const summary =
      `${verdict.counts['payments']} payments, ${verdict.counts['events']} events, lost ${verdict.counts['lost']}; ` +
      `responses ${counts}; beyond 2 s ${responses.slow}; ` +
      `between faults ${calm.refused} of ${calm.requests} refused, slowest ${Math.round(calm.slowestMs)} ms; ` +
      `most connections ${connections.most()}`;
    return { rows, leftOut, faults, summary, logs: faults.length === 0 ? null : stand.keepLogs() };
  } finally {
    await stand.close();
  }
}

/** The load runs without a fault: what all that follows is judged by. */
async function measureBaseline({ stand, shop, load, orders, responses, report }: Run): Promise<Row> {
  const where = { origin: stand.origin, shop, load };
  const [wellAfter] = await Promise.all([
    timeToBeWell(where, 'before', orders, responses.limit(WELL_WITHIN_SECONDS)),
    sleep(BASELINE_SECONDS * 1000),
  ]);
  report(`${stand.engine}, the baseline: ${responses.endBaseline(wellAfter, USUAL_WELL_SECONDS)}`);
  return { engine: stand.engine, fault: 'none', redAfter: null, wellAfter, figures: responses.baseline };
}

async function injectAll(plan: readonly Fault[], run: Run, seconds: number) {
  const { stand, responses, report } = run;
  const leftOut: string[] = [];
  const failed: string[] = [];
  const end = performance.now() + seconds * 1000;
  const rows: Row[] = [];
  try {
    rows.push(await measureBaseline(run));
  } catch (error) {
    return { rows, leftOut, failed: [messageOf(error)] };
  }
  for (const fault of plan) {
    const reason =
      fault.impossible?.(stand) ??
      (performance.now() + (fault.lastsSeconds + responses.limit(AROUND_SECONDS)) * 1000 > end
        ? 'no time is left'
        : null);
    if (reason !== null) {
      leftOut.push(`${stand.engine}, ${fault.name}: ${reason}`);
      continue;
    }
    const row = await inject(fault, run).catch((error: unknown) => {
      failed.push(`"${fault.name}" broke off: ${error instanceof Error ? error.stack : messageOf(error)}`);
      return null;
    });
    // What it has left behind would be blamed on the next one.
    if (row === null) break;
    rows.push(row);
    report(
      `${stand.engine}, ${fault.name}: well after ${row.wellAfter?.toFixed(1) ?? 'more than allowed'} s`,
    );
  }
  return { rows, leftOut, failed };
}

async function inject(fault: Fault, run: Run): Promise<Row> {
  const { stand, responses, load } = run;
  if (fault.prepare !== undefined) await whileWebIsHit(responses, () => fault.prepare?.(stand));
  await sleep(CALM_SECONDS * 1000);
  const figures = responses.beginFault(fault.name);
  let redAfter: number | null = null;
  const begun = performance.now();
  const watch = setInterval(() => {
    if (load.status() !== 'ok') redAfter ??= (performance.now() - begun) / 1000;
  }, 100);
  if (fault.hitsWeb === true) responses.webIsHit();
  await fault.begin(stand);
  await sleep(fault.lastsSeconds * 1000);
  await fault.end(stand);
  responses.webWorks();
  const wellAfter = await timeToBeWell(
    { ...run, origin: stand.origin },
    fault.name,
    run.orders,
    responses.limit(WELL_WITHIN_SECONDS),
  );
  clearInterval(watch);
  if (fault.restore !== undefined) await whileWebIsHit(responses, () => fault.restore?.(stand));
  responses.endFault();
  return { engine: stand.engine, fault: fault.name, redAfter, wellAfter, figures };
}

/** A restart of web that is no fault. */
async function whileWebIsHit(responses: Responses, work: () => Promise<void> | undefined): Promise<void> {
  responses.webIsHit();
  await work();
  responses.webWorks();
}
