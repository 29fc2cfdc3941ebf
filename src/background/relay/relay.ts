import { setTimeout as sleep } from 'node:timers/promises';
import { DrainWatch } from '../../domain/ops/drain.ts';
import { leaseDue } from '../../domain/schedule/lease.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Job, QueueName } from '../../platform/job.ts';
import { relayedTotal, relaySeconds } from '../../platform/metrics/measures.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { countWaitingJobs } from '../queue-status.ts';
import type { JobQueue } from '../queues.ts';
import { BOUNDS, boundsOf, MAX_KEYS, type Bounds } from '../shares/bounds.ts';
import { keyNamesOf, type Turns } from '../shares/turns.ts';
import { Backlogs } from './backlogs.ts';
import { beginLocal } from './begin-local.ts';
import type { Gaps } from './gaps.ts';
import type { LocalRuns } from './local-runs.ts';
import { Pause } from './pause.ts';

/**
 * How long a job may take before the relay adds it to a queue again: the bound within which a job that a
 * queue lost comes back.
 */
export const LEASE_SECONDS = 30;
const BUSY_PAUSE_MS = 2;
/** Within this time a job mostly schedules the next: an event its deliveries, a confirmation a settlement. */
const BUSY_FOR_MS = 50;
const IDLE_PAUSE_MS = 50;
const FAULT_PAUSE_MS = 1_000;

/** The most jobs of one name that are leased in a pass to find out whose they are; most of them may wait. */
const MAX_OF_MERCHANTS = 1_000;

export interface RelayTargets {
  readonly jobs: ReadonlyMap<string, Job>;
  readonly queues: ReadonlyMap<QueueName, JobQueue>;
  /** Shares slots among merchants; absent: whatever is due is handed over. */
  readonly turns?: Turns;
  /** Runs the jobs that need no queue; absent: all go to their queues. */
  readonly local?: LocalRuns;
  /** Spaces what is handed over; absent: every pass leases what is due. */
  readonly gaps?: Gaps;
  /** False: the relay pauses, as if Postgres were unavailable. Absent: it never does. */
  readonly mayWork?: () => boolean;
}

/**
 * Leases the jobs that are due in Postgres, commits, and only then starts those that are local and adds the
 * others to the queues. A crash between loses nothing, because the leases end; a crash afterwards adds jobs
 * twice, and handlers are idempotent. Jobs whose merchant holds its share of the slots wait in Postgres for a
 * turn; those of a name whose gap is not over wait there for a later pass. From pass to pass
 * `addedSinceCount` holds how many jobs each queue got since its waiting jobs were counted, and `backlogs` of
 * which jobs more is due than a pass leases. Returns how many jobs were leased.
 */
export async function relayOnce(
  ctx: Context,
  { jobs, queues, turns, local, gaps }: RelayTargets,
  addedSinceCount: Map<QueueName, number> = new Map(),
  backlogs: Backlogs = new Backlogs(),
): Promise<number> {
  const bounds = boundsOf([...jobs.values()]);
  await recountFullQueues(addedSinceCount, queues, bounds);
  const open = [...jobs.values()].filter(
    (job) =>
      (addedSinceCount.get(job.queue) ?? 0) < (bounds.get(job.queue) ?? BOUNDS).aPass &&
      local?.roomFor(job) !== 0 &&
      gaps?.isOver(job) !== false,
  );
  const now = ctx.now();
  const leaseEnd = addSeconds(now, LEASE_SECONDS);
  await turns?.countHandedOver();
  // First, because what waited is older than what became due.
  const waited = (await turns?.lease(ctx, open, leaseEnd)) ?? [];
  const limits = new Map(
    open.map((job) => [job.name, (local?.roomFor(job) ?? 0) * job.batch || limitOf(job, turns)]),
  );
  const shares = backlogs.takeShares(open, limits);
  const first = await leaseDue(ctx.db, limits, now, leaseEnd, keyNamesOf(open));
  backlogs.note(limits, first);
  const shared = await backlogs.lease(ctx, shares, { now, leaseEnd });
  const taken = (await turns?.take(ctx, open, first, leaseEnd)) ?? first;
  const handedOver = new Set([...waited, ...shared, ...taken].map(({ job }) => job));
  gaps?.begin(open.filter(({ name }) => handedOver.has(name)));
  // What needs no queue begins first: a queue that is unavailable delays nothing of it. The shares of
  // merchants go before what waits in a queue, which is mostly of the one that has so much due.
  const forQueues = [
    ...beginLocal(shared, jobs, local, { leaseEnd, isFirst: true }),
    ...beginLocal([...waited, ...taken], jobs, local, { leaseEnd, isFirst: false }),
  ];
  for (const { queue, added } of forQueues) {
    if (added.length === 0) continue;
    addedSinceCount.set(queue, (addedSinceCount.get(queue) ?? 0) + added.length);
    await queues.get(queue)?.addBulk(added);
  }
  return waited.length + shared.length + first.length;
}

function limitOf({ batch }: Job, turns: Turns | undefined): number {
  const limit = Math.min(batch * BOUNDS.aPass, Math.max(batch, MAX_KEYS));
  return turns === undefined ? limit : Math.max(limit, MAX_OF_MERCHANTS);
}

/**
 * Counting costs a round trip, so only queues that got many jobs are counted. Those with room start again at
 * 0.
 */
async function recountFullQueues(
  addedSinceCount: Map<QueueName, number>,
  queues: RelayTargets['queues'],
  bounds: ReadonlyMap<QueueName, Bounds>,
): Promise<void> {
  for (const [name, added] of addedSinceCount) {
    const { aPass, waiting } = bounds.get(name) ?? BOUNDS;
    if (added < aPass) continue;
    const queue = queues.get(name);
    if (queue === undefined || (await countWaitingJobs(queue)) < waiting) addedSinceCount.delete(name);
  }
}

/**
 * Relays until `signal` aborts: every few milliseconds while jobs are due and shortly after, otherwise 20
 * times per second. While workers are drained (`ops drain --on`) it hands over nothing.
 */
export async function relayLoop(
  ctx: Context,
  targets: RelayTargets,
  signal: AbortSignal,
  beat: () => void,
): Promise<void> {
  const addedSinceCount = new Map<QueueName, number>();
  const backlogs = new Backlogs();
  const drain = new DrainWatch();
  const relayUnlessDrained = async () =>
    (await drain.isOn(ctx.db)) ? 0 : relayOnce(ctx, targets, addedSinceCount, backlogs);
  const pause = new Pause();
  const endPause = () => pause.end();
  signal.addEventListener('abort', endPause);
  // What a run has scheduled is mostly due at once.
  targets.local?.listen(endPause);
  let busyAt = -Infinity;
  while (!signal.aborted) {
    const isAllowed = targets.mayWork?.() ?? true;
    const leased = isAllowed ? await relayOrNull(ctx, relayUnlessDrained, beat) : null;
    if (leased !== null && leased > 0) busyAt = performance.now();
    const isBusy = performance.now() - busyAt < BUSY_FOR_MS;
    if (leased === null) await sleep(FAULT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    else if (!signal.aborted) await pause.for(isBusy ? BUSY_PAUSE_MS : IDLE_PAUSE_MS);
  }
}

/** Null: the pass failed, and the relay pauses. */
async function relayOrNull(
  ctx: Context,
  relay: () => Promise<number>,
  beat: () => void,
): Promise<number | null> {
  const startedAt = performance.now();
  const measure = (outcome: 'done' | 'failed') =>
    relaySeconds.observe({ outcome }, (performance.now() - startedAt) / 1000);
  try {
    const leased = await relay();
    measure('done');
    relayedTotal.inc(leased);
    beat();
    return leased;
  } catch (error) {
    measure('failed');
    ctx.log.warn('relay paused; retrying in 1 s', faultOf(error));
    return null;
  }
}
