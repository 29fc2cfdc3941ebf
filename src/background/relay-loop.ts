import { setTimeout as sleep } from 'node:timers/promises';
import { claimDue, type ClaimedWork } from '../domain/due-work/store.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Job, QueueName } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import type { JobQueue } from './queues.ts';

/** How long handed-over work may take before it is handed over again: the bound within which anything that a queue lost comes back. */
export const LEASE_SECONDS = 30;
/** How many jobs one pass may add to a queue. */
const MAX_JOBS_A_PASS = 100;
/** A queue with this many jobs waiting gets no more: what waits in Postgres costs nothing, and is not handed over twice. */
const MAX_WAITING = 500;
const BUSY_PAUSE_MS = 5;
const IDLE_PAUSE_MS = 50;
const FAULT_PAUSE_MS = 1_000;

export interface RelayTargets {
  readonly jobs: ReadonlyMap<string, Job>;
  readonly queues: ReadonlyMap<QueueName, JobQueue>;
}

/**
 * Hands over what is due now: leases it in Postgres, commits, and only then adds it to the queues. A crash between the two loses
 * nothing, because the lease ends; a crash after both only hands over twice, because handlers are idempotent. A queue in `full`
 * gets nothing while it has enough waiting; a queue that takes all that one pass may add joins it. Answers how many pieces of work
 * were handed over.
 */
export async function relayOnce(
  ctx: Context,
  { jobs, queues }: RelayTargets,
  full: Set<QueueName> = new Set(),
): Promise<number> {
  await dropEmptied(full, queues);
  const open = [...jobs.values()].filter((job) => !full.has(job.queue));
  const now = ctx.now();
  const limits = new Map(open.map((job) => [job.name, job.batch * MAX_JOBS_A_PASS]));
  const claimed = await claimDue(ctx.db, limits, now, addSeconds(now, LEASE_SECONDS));
  for (const [job, work] of groupByJob(claimed, jobs)) {
    await queues
      .get(job.queue)
      ?.addBulk(batches(work, job.batch).map((keys) => ({ name: job.name, data: { keys } })));
    if (work.length >= job.batch * MAX_JOBS_A_PASS) full.add(job.queue);
  }
  return claimed.length;
}

/** Counting costs a round trip, so only queues that were filled up are counted. */
async function dropEmptied(full: Set<QueueName>, queues: RelayTargets['queues']): Promise<void> {
  for (const name of full) {
    const waiting = await queues.get(name)?.getJobCountByTypes('waiting');
    if (waiting === undefined || waiting < MAX_WAITING) full.delete(name);
  }
}

/** Keys in batches; work that failed before goes alone, so that one poisoned key cannot hold up others. */
function batches(work: readonly ClaimedWork[], size: number): string[][] {
  const sound = work.filter(({ failures }) => failures === 0).map(({ key }) => key);
  const alone = work.filter(({ failures }) => failures > 0).map(({ key }) => [key]);
  const together = Array.from({ length: Math.ceil(sound.length / size) }, (_, i) =>
    sound.slice(i * size, (i + 1) * size),
  );
  return [...together, ...alone];
}

function groupByJob(claimed: readonly ClaimedWork[], jobs: RelayTargets['jobs']): Map<Job, ClaimedWork[]> {
  const groups = new Map<Job, ClaimedWork[]>();
  for (const work of claimed) {
    const job = jobs.get(work.job);
    if (job === undefined) continue;
    const group = groups.get(job);
    if (group === undefined) groups.set(job, [work]);
    else group.push(work);
  }
  return groups;
}

/** Relays until `signal` aborts: at once again while there is work, twenty times a second while there is none. */
export async function relayLoop(
  ctx: Context,
  targets: RelayTargets,
  signal: AbortSignal,
  beat: () => void,
): Promise<void> {
  const full = new Set<QueueName>();
  while (!signal.aborted) {
    const pause = await relayOrWait(ctx, targets, full, beat);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

async function relayOrWait(
  ctx: Context,
  targets: RelayTargets,
  full: Set<QueueName>,
  beat: () => void,
): Promise<number> {
  try {
    const count = await relayOnce(ctx, targets, full);
    beat();
    return count > 0 ? BUSY_PAUSE_MS : IDLE_PAUSE_MS;
  } catch (error) {
    ctx.log.warn('relay has to wait', { error: messageOf(error) });
    return FAULT_PAUSE_MS;
  }
}
