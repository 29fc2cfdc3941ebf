import type { Job, QueueName } from '../../platform/job.ts';
import type { JobData } from '../queues.ts';

/** A job as a queue would carry it. */
export interface CarriedJob {
  readonly queue: QueueName;
  readonly name: string;
  readonly data: JobData;
}

/** More sets at once wait for each other's rows and for the processor (docs/adr/0077). */
const AT_ONCE = 4;

/**
 * Runs local jobs in the process whose relay leased them, a few at a time; what is due beyond that stays in
 * Postgres, where any relay finds it. A process that dies leaves leases that end, as with a queue.
 */
export class LocalRuns {
  readonly #served: readonly QueueName[];
  readonly #run: (job: CarriedJob) => Promise<void>;
  readonly #running = new Set<Promise<void>>();
  #onEnd: () => void = () => undefined;

  /** `served` are the queues whose jobs this process runs. What `run` throws it has reported itself. */
  constructor(served: readonly QueueName[], run: (job: CarriedJob) => Promise<void>) {
    this.#served = served;
    this.#run = run;
  }

  /** How many runs may begin now; null: the job goes to its queue. */
  roomFor({ isLocal, queue }: Job): number | null {
    return isLocal && this.#served.includes(queue) ? Math.max(0, AT_ONCE - this.#running.size) : null;
  }

  /** `onEnd` is called whenever a run has ended: it may have scheduled what follows. */
  listen(onEnd: () => void): void {
    this.#onEnd = onEnd;
  }

  start(job: CarriedJob): void {
    const running = this.#run(job)
      .catch(() => undefined)
      .finally(() => {
        this.#running.delete(running);
        this.#onEnd();
      });
    this.#running.add(running);
  }

  /** Resolves when nothing runs. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
