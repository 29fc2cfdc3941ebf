import type { Context } from '../../platform/context.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { relayedTotal } from '../../platform/metrics/measures.ts';
import type { LeasedJob } from '../../platform/handover.ts';
import type { Job, QueueName } from '../../platform/job.ts';
import type { JobQueue, QueueEngine } from '../queues.ts';
import type { Turns } from '../shares/turns.ts';
import { beginLocal, type ForQueue } from './begin-local.ts';
import { Handovers } from './handovers.ts';
import type { LocalRuns } from './local-runs.ts';
import type { QueueRoom } from './room.ts';

/**
 * On Postgres a job of a queue takes 1.3 ms of the server, however much it carries; on Redis it takes the
 * worker some of its core. Longer spaces save more of it, and delay more (docs/adr/0086).
 */
export interface Spacing {
  /** Between the beginnings of two passes of the relay, where the first has leased something. */
  readonly passMs: number;
  /** Between two handovers of runs: less, so that what each pass begins goes when it ends. */
  readonly handoverMs: number;
}

export const SPACING: Readonly<Record<QueueEngine['name'], Spacing>> = {
  postgres: { passMs: 8, handoverMs: 7 },
  redis: { passMs: 5, handoverMs: 4 },
};

/** Where leased jobs go. */
export interface HandoverTargets {
  readonly jobs: ReadonlyMap<string, Job>;
  readonly queues: ReadonlyMap<QueueName, JobQueue>;
  readonly room: QueueRoom;
  /** Shares slots among merchants; absent: whatever is due is handed over. */
  readonly turns?: Turns;
  /** Runs the jobs that need no queue; absent: all go to their queues. */
  readonly local?: LocalRuns;
}

/** Leased jobs that are handed over together. */
export interface Leased {
  /** What a queue takes before what waits in it, as the shares of merchants. */
  readonly first: readonly LeasedJob[];
  readonly others: readonly LeasedJob[];
  readonly leaseEnd: Date;
}

/**
 * Starts leased jobs that are local, and adds the others to their queues. What needs no queue begins first: a
 * queue that is unavailable delays nothing of it. Rejects where a queue is; then leases end.
 */
export async function handOver(targets: HandoverTargets, { first, others, leaseEnd }: Leased): Promise<void> {
  const { jobs, local } = targets;
  const forQueues = [
    ...beginLocal(first, jobs, local, { leaseEnd, isFirst: true }),
    ...beginLocal(others, jobs, local, { leaseEnd, isFirst: false }),
  ];
  await addToQueues(targets, forQueues);
}

/** Hands over what runs of this process lease, at most every `spaceMs`. All of it goes to the queues. */
export function openHandovers(ctx: Context, targets: HandoverTargets, spaceMs: number): Handovers {
  const { jobs, room, turns } = targets;
  return new Handovers({
    now: ctx.now,
    spaceMs,
    mayLease(name) {
      const job = jobs.get(name);
      return job !== undefined && room.isIn(job.queue);
    },
    async handOver(leased, leaseEnd) {
      try {
        const others = (await turns?.take(ctx, [...jobs.values()], leased, leaseEnd)) ?? leased;
        await handOver(targets, { first: [], others, leaseEnd });
        relayedTotal.inc(leased.length);
      } catch (error) {
        ctx.log.warn('jobs were not handed over; they are due again when their leases end', faultOf(error));
      }
    },
  });
}

async function addToQueues({ queues, room }: HandoverTargets, forQueues: readonly ForQueue[]): Promise<void> {
  for (const { queue, added } of forQueues) {
    if (added.length === 0) continue;
    room.note(queue, added.length);
    await queues.get(queue)?.addBulk(added);
  }
}
