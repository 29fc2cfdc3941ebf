import { setTimeout as sleep } from 'node:timers/promises';
import { DrainWatch } from '../../domain/ops/drain.ts';
import { leaseDue } from '../../domain/schedule/lease.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Job } from '../../platform/job.ts';
import { relayedTotal, relaySeconds } from '../../platform/metrics/measures.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { BOUNDS, LEASE_SECONDS, MAX_KEYS } from '../shares/bounds.ts';
import { keyNamesOf, type Turns } from '../shares/turns.ts';
import { Backlogs } from './backlogs.ts';
import { handOver, type HandoverTargets } from './hand-over.ts';
import { Pause } from './pause.ts';

const BUSY_PAUSE_MS = 2;
/** Within this time a job mostly schedules the next: an event its deliveries, a confirmation a settlement. */
const BUSY_FOR_MS = 50;
const IDLE_PAUSE_MS = 50;
const FAULT_PAUSE_MS = 1_000;

/** The most jobs of one name that are leased in a pass to find out whose they are; most of them may wait. */
const MAX_OF_MERCHANTS = 1_000;

export interface RelayTargets extends HandoverTargets {
  /** Milliseconds from a pass that leased something to the next; absent: it follows soon. */
  readonly passMs?: number;
  /** False: the relay pauses, as if Postgres were unavailable. Absent: it never does. */
  readonly mayWork?: () => boolean;
}

/**
 * Leases the jobs that are due in Postgres, commits, and only then hands them over. A crash between loses
 * nothing, because the leases end; a crash afterwards adds jobs twice, and handlers are idempotent. Jobs
 * whose merchant holds its share of the slots wait in Postgres for a turn. From pass to pass `backlogs` holds
 * of which jobs more is due than a pass leases. Returns how many jobs were leased.
 */
export async function relayOnce(
  ctx: Context,
  targets: RelayTargets,
  backlogs: Backlogs = new Backlogs(),
): Promise<number> {
  const { jobs, queues, room, turns, local } = targets;
  await room.recount(queues);
  const open = [...jobs.values()].filter((job) => room.isIn(job.queue) && local?.roomFor(job) !== 0);
  const now = ctx.now();
  const leaseEnd = addSeconds(now, LEASE_SECONDS);
  await turns?.countHandedOver();
  // First, because what waited is older than what became due.
  const waited = (await turns?.lease(ctx, open, leaseEnd)) ?? [];
  const limits = new Map(
    open.map((job) => [job.name, (local?.roomFor(job) ?? 0) * job.batch || limitOf(job, turns)]),
  );
  const shares = backlogs.takeShares(open, limits);
  const due = await leaseDue(ctx.db, limits, now, leaseEnd, keyNamesOf(open));
  backlogs.note(limits, due);
  const shared = await backlogs.lease(ctx, shares, { now, leaseEnd });
  const taken = (await turns?.take(ctx, open, due, leaseEnd)) ?? due;
  // The shares of merchants go before what waits in a queue, which is mostly of the one that has so much due.
  await handOver(targets, { first: shared, others: [...waited, ...taken], leaseEnd });
  return waited.length + shared.length + due.length;
}

function limitOf({ batch }: Job, turns: Turns | undefined): number {
  const limit = Math.min(batch * BOUNDS.aPass, Math.max(batch, MAX_KEYS));
  return turns === undefined ? limit : Math.max(limit, MAX_OF_MERCHANTS);
}

/**
 * Relays until `signal` aborts: every few milliseconds while jobs are due and shortly after, otherwise 20
 * times per second. While workers are drained (`ops drain --on`) it hands over nothing.
 */
export async function relayLoop(ctx: Context, targets: RelayTargets, signal: AbortSignal): Promise<void> {
  // A relay that never makes a pass has a rate of 0, instead of none at all.
  relaySeconds.zero({ outcome: 'done' });
  const backlogs = new Backlogs();
  const drain = new DrainWatch();
  const relayUnlessDrained = async () => ((await drain.isOn(ctx.db)) ? 0 : relayOnce(ctx, targets, backlogs));
  const pause = new Pause();
  const endPause = () => pause.end();
  signal.addEventListener('abort', endPause);
  // What a run has scheduled is mostly due at once.
  targets.local?.listen(endPause);
  let busyAt = -Infinity;
  while (!signal.aborted) {
    const beganAt = performance.now();
    const isAllowed = targets.mayWork?.() ?? true;
    const leased = isAllowed ? await relayOrNull(ctx, relayUnlessDrained) : null;
    if (leased === null) {
      await sleep(FAULT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      continue;
    }
    if (leased > 0) {
      busyAt = performance.now();
      // Nothing ends this pause: what becomes due meanwhile goes together.
      const leftMs = beganAt + (targets.passMs ?? 0) - busyAt;
      if (leftMs > 0) await sleep(leftMs, undefined, { signal }).catch(() => undefined);
    }
    const isBusy = performance.now() - busyAt < BUSY_FOR_MS;
    if (leased === 0 && !signal.aborted) await pause.for(isBusy ? BUSY_PAUSE_MS : IDLE_PAUSE_MS);
  }
}

/** Null: the pass failed, and the relay pauses. */
async function relayOrNull(ctx: Context, relay: () => Promise<number>): Promise<number | null> {
  const startedAt = performance.now();
  const measure = (outcome: 'done' | 'failed') =>
    relaySeconds.observe({ outcome }, (performance.now() - startedAt) / 1000);
  try {
    const leased = await relay();
    measure('done');
    relayedTotal.inc(leased);
    return leased;
  } catch (error) {
    measure('failed');
    ctx.log.warn('relay paused; retrying in 1 s', faultOf(error));
    return null;
  }
}
