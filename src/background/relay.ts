import { setTimeout as sleep } from 'node:timers/promises';
import { leaseDue, type LeasedJob } from '../domain/schedule/lease.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Job, QueueName } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import { waitingJobs, type JobData, type JobQueue } from './queues.ts';

/** How long handed-over work may take before it is handed over again: the bound within which anything that a queue lost comes back. */
export const LEASE_SECONDS = 30;
/** How many batches of a job one pass may take, and how many jobs a queue may get until what waits there is counted. */
const MAX_JOBS_A_PASS = 100;
/**
 * A queue with this many jobs waiting gets no more: what waits in Postgres costs nothing. It bounds the queue of a worker that is slow
 * or not there at all, where the same work is handed over again whenever its lease ends.
 */
const MAX_WAITING = 500;
const BUSY_PAUSE_MS = 5;
/** Work mostly begets work within this: an event its deliveries, a confirmation a settlement. */
const BUSY_FOR_MS = 50;
const IDLE_PAUSE_MS = 50;
const FAULT_PAUSE_MS = 1_000;

export interface RelayTargets {
  readonly jobs: ReadonlyMap<string, Job>;
  readonly queues: ReadonlyMap<QueueName, JobQueue>;
}

/**
 * Hands over what is due now: leases it in Postgres, commits, and only then adds it to the queues. A crash between the two loses
 * nothing, because the lease ends; a crash after both only hands over twice, because handlers are idempotent. `uncounted` remembers
 * from pass to pass how many jobs each queue got since its waiting ones were counted. Answers how many pieces of work were handed
 * over.
 */
export async function relayOnce(
  ctx: Context,
  { jobs, queues }: RelayTargets,
  uncounted: Map<QueueName, number> = new Map(),
): Promise<number> {
  await countWaiting(uncounted, queues);
  const open = [...jobs.values()].filter(({ queue }) => (uncounted.get(queue) ?? 0) < MAX_JOBS_A_PASS);
  const now = ctx.now();
  const limits = new Map(open.map((job) => [job.name, job.batch * MAX_JOBS_A_PASS]));
  const claimed = await leaseDue(ctx.db, limits, now, addSeconds(now, LEASE_SECONDS));
  for (const [job, work] of groupByJob(claimed, jobs)) {
    const added = batches(work, job.batch).map((data) => ({ name: job.name, data }));
    uncounted.set(job.queue, (uncounted.get(job.queue) ?? 0) + added.length);
    await queues.get(job.queue)?.addBulk(added);
  }
  return claimed.length;
}

/** Counting costs a round trip, so only queues that got many jobs are counted. */
async function countWaiting(
  uncounted: Map<QueueName, number>,
  queues: RelayTargets['queues'],
): Promise<void> {
  for (const [name, added] of uncounted) {
    if (added < MAX_JOBS_A_PASS) continue;
    const queue = queues.get(name);
    if (queue === undefined || (await waitingJobs(queue)) < MAX_WAITING) uncounted.delete(name);
  }
}

/**
 * Keys in batches. Work that failed before goes alone, so that one poisoned key cannot hold up others; so does work of a world of its
 * own, which has a clock of its own.
 */
function batches(work: readonly LeasedJob[], size: number): JobData[] {
  const isAlone = ({ failures, test_clock }: LeasedJob) => failures > 0 || test_clock !== null;
  const sound = work.filter((item) => !isAlone(item)).map(({ key }) => key);
  const together = Array.from({ length: Math.ceil(sound.length / size) }, (_, i) => ({
    keys: sound.slice(i * size, (i + 1) * size),
  }));
  const alone = work.filter(isAlone).map(({ key, test_clock }) => ({
    keys: [key],
    ...(test_clock === null ? {} : { testClock: test_clock }),
  }));
  return [...together, ...alone];
}

function groupByJob(claimed: readonly LeasedJob[], jobs: RelayTargets['jobs']): Map<Job, LeasedJob[]> {
  const groups = new Map<Job, LeasedJob[]>();
  for (const work of claimed) {
    const job = jobs.get(work.job);
    if (job === undefined) continue;
    const group = groups.get(job);
    if (group === undefined) groups.set(job, [work]);
    else group.push(work);
  }
  return groups;
}

/** Relays until `signal` aborts: at once again while there is work and a little after, twenty times a second while there is none. */
export async function relayLoop(
  ctx: Context,
  targets: RelayTargets,
  signal: AbortSignal,
  beat: () => void,
): Promise<void> {
  const uncounted = new Map<QueueName, number>();
  let busyAt = -Infinity;
  while (!signal.aborted) {
    const handedOver = await relayOrNull(ctx, targets, uncounted, beat);
    if (handedOver !== null && handedOver > 0) busyAt = performance.now();
    const isBusy = performance.now() - busyAt < BUSY_FOR_MS;
    const pause = handedOver === null ? FAULT_PAUSE_MS : isBusy ? BUSY_PAUSE_MS : IDLE_PAUSE_MS;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Null: the relay could not do its round, and has to wait. */
async function relayOrNull(
  ctx: Context,
  targets: RelayTargets,
  uncounted: Map<QueueName, number>,
  beat: () => void,
): Promise<number | null> {
  try {
    const count = await relayOnce(ctx, targets, uncounted);
    beat();
    return count;
  } catch (error) {
    ctx.log.warn('relay has to wait', { error: messageOf(error) });
    return null;
  }
}
