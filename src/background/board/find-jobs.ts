import type { JobType, Queue } from 'bullmq';
import type { JobData } from '../runs/job-data.ts';

export interface FoundJob {
  readonly queue: string;
  readonly id: string;
  readonly job: string;
  readonly state: string;
}

const STATES: readonly JobType[] = ['active', 'waiting', 'delayed', 'failed', 'completed'];

/** How many jobs of each state are read, of those that have ended the newest: a search must not slow web. */
const NEWEST = 200;

/** Returns the jobs of queues that carry one of these keys, among the newest of each state. */
export async function findJobs(
  queues: readonly Queue<JobData>[],
  keys: ReadonlySet<string>,
): Promise<FoundJob[]> {
  const found: FoundJob[] = [];
  for (const queue of queues)
    for (const state of STATES)
      for (const job of await queue.getJobs(state, 0, NEWEST - 1))
        if (job?.id !== undefined && job.data.keys.some((key) => keys.has(key)))
          found.push({ queue: queue.name, id: job.id, job: job.name, state });
  return found;
}
