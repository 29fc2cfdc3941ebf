import { setTimeout as sleep } from 'node:timers/promises';
import { beatWorker, forgetWorker, takeOverJobs, type WorkerBeat } from '../domain/schedule/beats.ts';
import { findDueNames, releaseWaiting } from '../domain/schedule/sweep.ts';
import { deliverWebhook } from '../domain/webhooks/endpoints/jobs.ts';
import { endLeasesOf } from '../domain/webhooks/endpoints/leases/take-over.ts';
import type { DrainWatch } from '../domain/ops/drain.ts';
import type { Context } from '../platform/context.ts';
import type { Job } from '../domain/schedule/job.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { sweepSeconds } from '../platform/metrics/measures.ts';
import type { QueueEnqueuer } from './enqueuer.ts';

/** How late a timer is found at most, by the one worker that sweeps. */
const SWEEP_MS = 100;
const BEAT_MS = 1_000;
/** A worker whose beats have stood still for so long is gone: its work is taken over within 5 s. */
const SILENCE_MS = 3_000;
const FAULT_PAUSE_MS = 1_000;

export interface SweepOptions {
  /** The id of this worker. */
  readonly worker: string;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly enqueuer: QueueEnqueuer;
  readonly drain: DrainWatch;
  /** False: this worker takes no work, and does not lead. */
  readonly mayWork: () => boolean;
}

/** Enqueues a run of each job of which something is due; returns their names. */
export async function sweepOnce(
  ctx: Context,
  { jobs, enqueuer, drain }: Pick<SweepOptions, 'jobs' | 'enqueuer' | 'drain'>,
): Promise<string[]> {
  if (await drain.isOn(ctx.db)) return [];
  const names = await findDueNames(ctx.db, ctx.now());
  for (const name of names) {
    const job = jobs.get(name);
    if (job !== undefined) enqueuer.enqueueRun(job);
  }
  return names;
}

/** What a worker knows of the others: since when their beats stand still, on its own clock. */
export class Watch {
  readonly #seen = new Map<string, { readonly beats: string; readonly at: number }>();
  #readAt = -Infinity;

  /**
   * Notes what was read at `at` (milliseconds), and returns who is gone, and whether this worker, `own`,
   * leads: of those that live and may lead the first by id. A worker that has not read for a while has seen
   * nobody stand still.
   */
  note(
    own: string,
    others: readonly WorkerBeat[],
    at: number,
    mayLead: boolean,
  ): { gone: string[]; leads: boolean } {
    if (at - this.#readAt > SILENCE_MS / 2) this.#seen.clear();
    this.#readAt = at;
    for (const { id, beats } of others)
      if (this.#seen.get(id)?.beats !== beats) this.#seen.set(id, { beats, at });
    const isGone = ({ id }: WorkerBeat) => at - (this.#seen.get(id)?.at ?? at) >= SILENCE_MS;
    const gone = others.filter(isGone).map(({ id }) => id);
    for (const id of this.#seen.keys()) if (!others.some((one) => one.id === id)) this.#seen.delete(id);
    const first = others.some((one) => !isGone(one) && one.may_lead && one.id < own);
    return { gone, leads: mayLead && !first };
  }
}

/** Makes due what workers have leased that are gone, and forgets them. */
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
 * Says every second that this worker lives, and watches the others; the one that leads sweeps ten times a
 * second, and takes over what those had leased that are gone. Until `signal` aborts.
 */
export async function sweepLoop(ctx: Context, options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { worker, mayWork } = options;
  const watch = new Watch();
  let leads = false;
  let beatAt = -Infinity;
  const beatOnce = async () => {
    beatAt = performance.now();
    const others = await beatWorker(ctx.db, worker, mayWork());
    const noted = watch.note(worker, others, performance.now(), mayWork());
    leads = noted.leads;
    if (!leads) return;
    await takeOver(ctx, options, noted.gone);
    await releaseWaiting(ctx.db, ctx.now());
  };
  // A worker that never sweeps has a rate of 0, instead of none at all.
  sweepSeconds.zero({ outcome: 'done' });
  while (!signal.aborted) {
    const startedAt = performance.now();
    const measure = (outcome: 'done' | 'failed') =>
      sweepSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000);
    let pauseMs = SWEEP_MS;
    try {
      if (startedAt - beatAt >= BEAT_MS) await beatOnce();
      if (leads && mayWork()) {
        await sweepOnce(ctx, options);
        measure('done');
      }
    } catch (error) {
      measure('failed');
      ctx.log.warn('relay paused; retrying in 1 s', faultOf(error));
      leads = false;
      pauseMs = FAULT_PAUSE_MS;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
