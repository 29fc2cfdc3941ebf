import type { LeasedJob } from '../../platform/handover.ts';
import type { Job, QueueName } from '../../platform/job.ts';
import type { JobData } from '../queues.ts';
import { batches } from './batches.ts';
import type { LocalRuns } from './local-runs.ts';

/** Jobs as a queue gets them. */
export interface ForQueue {
  readonly queue: QueueName;
  readonly added: {
    readonly name: string;
    readonly data: JobData;
    readonly opts?: { readonly lifo: true };
  }[];
}

/**
 * Starts the leased jobs that are local, as far as there is room, and returns the others for their queues, in
 * batches. `isFirst`: a queue takes them before those that wait in it.
 */
export function beginLocal(
  work: readonly LeasedJob[],
  jobs: ReadonlyMap<string, Job>,
  local: LocalRuns | undefined,
  { leaseEnd, isFirst }: { leaseEnd: Date; isFirst: boolean },
): ForQueue[] {
  const options = isFirst ? { opts: { lifo: true } as const } : {};
  return [...groupByJob(work, jobs)].map(([job, own]) => {
    const carried = batches(own, job.batch, leaseEnd).map((data) => ({ name: job.name, data, ...options }));
    return { queue: job.queue, added: carried.filter((one) => !runHere(job, one, local)) };
  });
}

/** Starts a job in this process, where it needs no queue. */
function runHere(job: Job, carried: { name: string; data: JobData }, local: LocalRuns | undefined): boolean {
  const { failures, testClock } = carried.data;
  if (failures !== undefined || testClock !== undefined || !local?.roomFor(job)) return false;
  local.start({ queue: job.queue, ...carried });
  return true;
}

function groupByJob(leased: readonly LeasedJob[], jobs: ReadonlyMap<string, Job>): Map<Job, LeasedJob[]> {
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
