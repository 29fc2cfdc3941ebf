import { setTimeout as sleep } from 'node:timers/promises';
import { DrainWatch } from '../domain/ops/drain.ts';
import { leaseDue, type LeasedJob } from '../domain/schedule/lease.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Job, JobMerchant, QueueName } from '../platform/job.ts';
import { relayedTotal, relaySeconds } from '../platform/metrics/measures.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { groupBy } from '../platform/postgres/sql.ts';
import { countWaitingJobs } from './queue-status.ts';
import type { JobData, JobQueue } from './queues.ts';
import { BOUNDS, boundsOf, MAX_KEYS, type Bounds } from './shares/bounds.ts';
import { CARRIED_KEYS, keyNamesOf, type Turns } from './shares/turns.ts';

/**
 * How long a job may take before the relay adds it to a queue again: the bound within which a job that a
 * queue lost comes back.
 */
export const LEASE_SECONDS = 30;
const BUSY_PAUSE_MS = 5;
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
  /** False: the relay pauses, as if Postgres were unavailable. Absent: it never does. */
  readonly mayWork?: () => boolean;
}

/**
 * Leases the jobs that are due in Postgres, commits, and only then adds them to the queues. A crash between
 * the two loses nothing, because the leases end; a crash after both adds jobs twice, and handlers are
 * idempotent. Jobs whose merchant holds its share of the slots wait in Postgres for a turn. `addedSinceCount`
 * holds, from pass to pass, how many jobs each queue got since its waiting jobs were counted. Returns how
 * many jobs were leased.
 */
export async function relayOnce(
  ctx: Context,
  { jobs, queues, turns }: RelayTargets,
  addedSinceCount: Map<QueueName, number> = new Map(),
): Promise<number> {
  const bounds = boundsOf([...jobs.values()]);
  await recountFullQueues(addedSinceCount, queues, bounds);
  const open = [...jobs.values()].filter(
    ({ queue }) => (addedSinceCount.get(queue) ?? 0) < (bounds.get(queue) ?? BOUNDS).aPass,
  );
  const now = ctx.now();
  const leaseEnd = addSeconds(now, LEASE_SECONDS);
  await turns?.countHandedOver();
  // First, because what waited is older than what became due.
  const waited = (await turns?.lease(ctx, open, leaseEnd)) ?? [];
  const limits = new Map(open.map((job) => [job.name, limitOf(job, turns)]));
  const due = await leaseDue(ctx.db, limits, now, leaseEnd, keyNamesOf(open));
  const leased = [...waited, ...((await turns?.take(ctx, open, due, leaseEnd)) ?? due)];
  for (const [job, work] of groupByJob(leased, jobs)) {
    const added = batches(work, job.batch, leaseEnd).map((data) => ({ name: job.name, data }));
    addedSinceCount.set(job.queue, (addedSinceCount.get(job.queue) ?? 0) + added.length);
    await queues.get(job.queue)?.addBulk(added);
  }
  return waited.length + due.length;
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
 * Keys in batches; those that take slots of a merchant only with others of the same. A job that failed before
 * goes alone, so that one poisoned key cannot block others; so does a job of a test clock, which runs by that
 * clock.
 */
function batches(work: readonly LeasedJob[], size: number, leaseEnd: Date): JobData[] {
  const isAlone = ({ failures, test_clock }: LeasedJob) => failures > 0 || test_clock !== null;
  const groups = groupBy(
    work.filter((item) => !isAlone(item)),
    ({ merchant }) => merchant?.id ?? '',
  );
  const together = [...groups].flatMap(([merchantId, group]) =>
    chunksOf(group, merchantId === '' ? size : CARRIED_KEYS).map((batch) => ({
      keys: batch.map(({ key }) => key),
      ...firstDue(batch),
      ...slotsOf(batch[0]?.merchant ?? null, leaseEnd),
    })),
  );
  const alone = work.filter(isAlone).map(({ key, test_clock, merchant, failures }) => ({
    keys: [key],
    ...(failures === 0 ? {} : { failures }),
    ...(test_clock === null ? {} : { testClock: test_clock }),
    ...slotsOf(merchant, leaseEnd),
  }));
  return [...together, ...alone];
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function slotsOf(merchant: JobMerchant | null, leaseEnd: Date): Pick<JobData, 'merchant' | 'leaseEnd'> {
  return merchant === null ? {} : { merchant, leaseEnd: leaseEnd.toISOString() };
}

/** When the first of them was due; jobs that waited for a turn do not say. */
function firstDue(work: readonly Pick<LeasedJob, 'run_at'>[]): Pick<JobData, 'dueAt'> {
  const times = work.flatMap(({ run_at }) => (run_at === undefined ? [] : [run_at.getTime()]));
  return times.length === 0 ? {} : { dueAt: new Date(Math.min(...times)).toISOString() };
}

function groupByJob(leased: readonly LeasedJob[], jobs: RelayTargets['jobs']): Map<Job, LeasedJob[]> {
  const groups = new Map<Job, LeasedJob[]>();
  for (const work of leased) {
    const job = jobs.get(work.job);
    if (job === undefined) continue;
    const group = groups.get(job);
    if (group === undefined) groups.set(job, [work]);
    else group.push(work);
  }
  return groups;
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
  const drain = new DrainWatch();
  const relayUnlessDrained = async () =>
    (await drain.isOn(ctx.db)) ? 0 : relayOnce(ctx, targets, addedSinceCount);
  let busyAt = -Infinity;
  while (!signal.aborted) {
    const isAllowed = targets.mayWork?.() ?? true;
    const leased = isAllowed ? await relayOrNull(ctx, relayUnlessDrained, beat) : null;
    if (leased !== null && leased > 0) busyAt = performance.now();
    const isBusy = performance.now() - busyAt < BUSY_FOR_MS;
    const pause = leased === null ? FAULT_PAUSE_MS : isBusy ? BUSY_PAUSE_MS : IDLE_PAUSE_MS;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
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
