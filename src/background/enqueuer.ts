import { setImmediate } from 'node:timers/promises';
import type { EnqueuedJob, Enqueuer } from '../domain/schedule/enqueue.ts';
import { visibleAt, type Clock } from '../platform/clock.ts';
import type { Job, QueueName } from '../domain/schedule/job.ts';
import type { Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { chunksOf, keysOfRun } from './runs/job-data.ts';
import { countWaitingJobs } from './queue-status.ts';
import type { JobQueue } from './queues.ts';

/**
 * A job that is due within this time is enqueued when it is due, by the process that schedules it: the sweep
 * reads no more often (sweep.ts).
 */
export const AHEAD_MS = 500;
/** The clocks of processes differ by less: a run that starts too early finds nothing due. */
const CLOCKS_MS = 10;
/** The most keys of a job that one addition names; a run leases what is due, named or not. */
const MAX_KEYS = 1_000;
/** After this many additions the waiting jobs of the queue are counted. */
const COUNTED_AFTER = 100;
/**
 * A queue with this many waiting jobs gets no more: it is paused, or nobody serves it, and would grow by a
 * run for each event.
 */
const MAX_WAITING = 500;
/** How long until they are counted again. */
const FULL_MS = 1_000;

/** The runs that a queue gets next. */
interface Target {
  readonly pending: Map<string, { readonly job: Job; readonly keys: Set<string> }>;
  isAdding: boolean;
  isFailing: boolean;
  added: number;
  fullUntil: number;
}

/**
 * Adds runs of due jobs to their queues, in one addition per turn of the event loop; runs that are enqueued
 * during one share the next. Nobody waits for it. An addition that fails is lost: the sweep finds the rows.
 */
export class QueueEnqueuer implements Enqueuer {
  readonly #queueOf: (name: QueueName) => Promise<JobQueue>;
  readonly #now: Clock;
  readonly #log: Log;
  readonly #targets = new Map<QueueName, Target>();
  readonly #adding = new Set<Promise<void>>();
  #isClosed = false;

  constructor(queueOf: (name: QueueName) => Promise<JobQueue>, { now, log }: { now: Clock; log: Log }) {
    this.#queueOf = queueOf;
    this.#now = now;
    this.#log = log;
  }

  enqueue(jobs: readonly EnqueuedJob[]): void {
    const now = this.#now().getTime();
    for (const { job, key, runAt, testClock } of jobs) {
      const waitMs = visibleAt(runAt, testClock).getTime() - now;
      if (waitMs <= 0) this.enqueueRun(job, testClock === null ? key : null);
      else if (waitMs <= AHEAD_MS) setTimeout(() => this.enqueueRun(job), waitMs + CLOCKS_MS).unref();
    }
  }

  /**
   * Enqueues a run of the job, whatever is due. The key is for operators who look at the queue; that of an
   * isolated payment is not named, because a worker of the previous release would run it by another clock.
   */
  enqueueRun(job: Job, key: string | null = null): void {
    if (this.#isClosed) return;
    const target = this.#targetOf(job.queue);
    const pending = target.pending.get(job.name) ?? { job, keys: new Set() };
    target.pending.set(job.name, pending);
    if (key !== null && pending.keys.size < MAX_KEYS) pending.keys.add(key);
    if (target.isAdding) return;
    target.isAdding = true;
    const adding = this.#addAll(job.queue, target).finally(() => {
      target.isAdding = false;
      this.#adding.delete(adding);
    });
    this.#adding.add(adding);
  }

  /** Adds nothing from now on, and resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#adding);
  }

  async #addAll(name: QueueName, target: Target): Promise<void> {
    await setImmediate();
    while (target.pending.size > 0) {
      const runs = [...target.pending.values()].flatMap(({ job, keys }) => runsOf(job, [...keys]));
      target.pending.clear();
      try {
        const queue = await this.#queueOf(name);
        if (!(await hasRoom(queue, target))) continue;
        target.added += runs.length;
        await queue.addBulk(runs);
        target.isFailing = false;
      } catch (error) {
        if (!this.#isClosed && !target.isFailing)
          this.#log.warn('jobs were not enqueued; the sweep finds them', { queue: name, ...faultOf(error) });
        target.isFailing = true;
      }
    }
  }

  #targetOf(name: QueueName): Target {
    const known = this.#targets.get(name);
    const target = known ?? {
      pending: new Map(),
      isAdding: false,
      isFailing: false,
      added: 0,
      fullUntil: -Infinity,
    };
    if (known === undefined) this.#targets.set(name, target);
    return target;
  }
}

/** As many runs as the keys need, and one at least. */
function runsOf(job: Job, keys: readonly string[]) {
  const chunks = keys.length === 0 ? [[]] : chunksOf(keys, keysOfRun(job));
  return chunks.map((chunk) => ({ name: job.name, data: { keys: chunk } }));
}

async function hasRoom(queue: JobQueue, target: Target): Promise<boolean> {
  if (performance.now() < target.fullUntil) return false;
  if (target.added < COUNTED_AFTER) return true;
  if ((await countWaitingJobs(queue)) < MAX_WAITING) target.added = 0;
  else target.fullUntil = performance.now() + FULL_MS;
  return target.added === 0;
}
