import { setTimeout as sleep } from 'node:timers/promises';
import { forgetWorker, takeOverJobs } from '../domain/schedule/beats.ts';
import { findTimers, releaseWaiting } from '../domain/schedule/sweep.ts';
import { deliverWebhook } from '../domain/webhooks/endpoints/jobs.ts';
import { endLeasesOf } from '../domain/webhooks/endpoints/leases/lease.ts';
import type { DrainWatch } from '../domain/ops/drain.ts';
import type { Context } from '../platform/context.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Job } from '../domain/schedule/job.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { sweepSeconds } from '../platform/metrics/measures.ts';
import type { Beats, Standing } from './beats.ts';
import { AHEAD_MS, type QueueEnqueuer } from './enqueuer.ts';

/** How late the one worker that sweeps finds a timer at most. */
const SWEEP_MS = 100;
const FAULT_PAUSE_MS = 1_000;
/** How often it releases the jobs that workers of the previous release have left waiting. */
const RELEASE_MS = 60_000;

export interface SweepOptions {
  readonly beats: Pick<Beats, 'standing'>;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly enqueuer: QueueEnqueuer;
  readonly drain: DrainWatch;
  /** False: this worker takes no work, and does not lead. */
  readonly mayWork: () => boolean;
}

/**
 * Enqueues a run of each job of which something is due. Returns the time until which nothing else is: until
 * then the process that schedules a job enqueues it, and the next pass reads it.
 */
export async function sweepOnce(
  ctx: Context,
  { jobs, enqueuer, drain }: Pick<SweepOptions, 'jobs' | 'enqueuer' | 'drain'>,
): Promise<Date> {
  const now = ctx.now();
  const ahead = addSeconds(now, AHEAD_MS / 1000);
  const timers = await findTimers(ctx.db, ahead);
  const due = timers.filter(({ at }) => at <= now);
  if (due.length > 0 && (await drain.isOn(ctx.db))) return ahead;
  for (const { job: name } of due) {
    const job = jobs.get(name);
    if (job !== undefined) enqueuer.enqueueRun(job);
  }
  return new Date(Math.min(ahead.getTime(), ...timers.map(({ at }) => at.getTime())));
}

/** Makes the jobs that gone workers have leased due again, and forgets these workers. */
export async function takeOver(
  ctx: Context,
  { jobs }: Pick<SweepOptions, 'jobs'>,
  gone: readonly string[],
): Promise<void> {
  const { db, log } = ctx;
  for (const worker of gone) {
    const now = ctx.now();
    const taken = await takeOverJobs(db, { worker, jobs: [...jobs.keys()], now });
    const endpointIds = taken.filter(({ job }) => job === deliverWebhook.name).map(({ key }) => key);
    await endLeasesOf(db, { endpointIds, worker, systemNow: ctx.systemNow() });
    await forgetWorker(db, worker);
    log.warn('a worker is gone: its jobs are due again', { worker, jobs: taken.length });
  }
}

/**
 * Returns a function that sweeps if a timer has ended, or half a second after the last sweep, and that takes
 * the jobs of each gone worker over once.
 */
function sweeper(ctx: Context, options: SweepOptions): () => Promise<void> {
  let seen: Standing | null = null;
  let quietUntil = new Date(0);
  let sweptAt = -Infinity;
  let releasedAt = -Infinity;
  return async () => {
    const { standing } = options.beats;
    const startedAt = performance.now();
    if (standing !== seen) await takeOver(ctx, options, standing.gone);
    seen = standing;
    if (startedAt - releasedAt >= RELEASE_MS) {
      await releaseWaiting(ctx.db, ctx.now());
      releasedAt = startedAt;
    }
    if (ctx.now() < quietUntil && startedAt - sweptAt < AHEAD_MS) return;
    quietUntil = await sweepOnce(ctx, options);
    sweptAt = startedAt;
    sweepSeconds.observe({ outcome: 'done' }, (performance.now() - startedAt) / 1000);
  };
}

/** Sweeps while this worker leads, at most ten times a second, until `signal` aborts. */
export async function sweepLoop(ctx: Context, options: SweepOptions, signal: AbortSignal): Promise<void> {
  const sweep = sweeper(ctx, options);
  // A worker that never sweeps has a rate of 0, instead of none at all.
  sweepSeconds.zero({ outcome: 'done' });
  while (!signal.aborted) {
    const startedAt = performance.now();
    let pauseMs = SWEEP_MS;
    try {
      if (options.beats.standing.leads && options.mayWork()) await sweep();
    } catch (error) {
      sweepSeconds.observe({ outcome: 'failed' }, (performance.now() - startedAt) / 1000);
      ctx.log.warn('sweep failed; retrying in 1 s', faultOf(error));
      pauseMs = FAULT_PAUSE_MS;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
