import type { Job, QueueName } from '../../platform/job.ts';
import { countWaitingJobs } from '../queue-status.ts';
import type { JobQueue } from '../queues.ts';
import { BOUNDS, boundsOf, type Bounds } from '../shares/bounds.ts';

/**
 * How many jobs each queue got since its waiting jobs were counted. Counting costs a round trip, so only
 * queues that got many jobs are counted.
 */
export class QueueRoom {
  readonly #bounds: ReadonlyMap<QueueName, Bounds>;
  readonly #added = new Map<QueueName, number>();

  constructor(jobs: ReadonlyMap<string, Job>) {
    this.#bounds = boundsOf([...jobs.values()]);
  }

  /** Whether the queue gets more jobs. */
  isIn(queue: QueueName): boolean {
    return (this.#added.get(queue) ?? 0) < this.#boundsOf(queue).aPass;
  }

  /** Notes that a queue got so many jobs. */
  note(queue: QueueName, count: number): void {
    this.#added.set(queue, (this.#added.get(queue) ?? 0) + count);
  }

  /** Counts what waits in the queues without room; those that have some start again at 0. */
  async recount(queues: ReadonlyMap<QueueName, JobQueue>): Promise<void> {
    for (const name of this.#added.keys()) {
      if (this.isIn(name)) continue;
      const queue = queues.get(name);
      if (queue === undefined || (await countWaitingJobs(queue)) < this.#boundsOf(name).waiting)
        this.#added.delete(name);
    }
  }

  #boundsOf(queue: QueueName): Bounds {
    return this.#bounds.get(queue) ?? BOUNDS;
  }
}
