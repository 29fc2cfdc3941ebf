import type { Job } from '../../platform/job.ts';
import type { QueueEngine } from '../queues.ts';

/**
 * On Postgres a job of a queue takes 1.3 ms of the server, however much it carries; on Redis it takes the
 * worker some of its core. Longer gaps save more of it, and delay more (docs/adr/0085).
 */
const QUEUE_MS: Readonly<Record<QueueEngine['name'], number>> = { postgres: 8, redis: 5 };
/** A dispatch takes a few statements for one event as for twenty, and some 4 ms. */
const LOCAL_MS = 3;

/**
 * Leaves some milliseconds between two passes that hand over jobs of one name. The first goes at once; what
 * becomes due meanwhile goes together, so that a queue's job carries more of it the more there is.
 */
export class Gaps {
  readonly #queueMs: number;
  readonly #clock: () => number;
  /** By the names of jobs. */
  readonly #endAt = new Map<string, number>();

  /** The engine says how long the gaps of queued jobs are; `clock` is in milliseconds. */
  constructor(engine: QueueEngine['name'], clock: () => number = () => performance.now()) {
    this.#queueMs = QUEUE_MS[engine];
    this.#clock = clock;
  }

  /** Whether jobs of this name may be handed over now. */
  isOver({ name }: Job): boolean {
    return this.#clock() >= (this.#endAt.get(name) ?? -Infinity);
  }

  /** Begins the gap of each of these jobs, which are handed over now. */
  begin(jobs: Iterable<Job>): void {
    const now = this.#clock();
    for (const { name, isLocal } of jobs) this.#endAt.set(name, now + (isLocal ? LOCAL_MS : this.#queueMs));
  }
}
