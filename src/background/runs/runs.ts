import type { QueueRuns, RunsByQueue } from '../../domain/ops/health/processes.ts';
import type { QueueName } from '../../domain/schedule/job.ts';

/** A job that has run for so long counts as slow. */
const SLOW_MS = 10_000;

interface Counters {
  /** By job and key: how many runs of it are under way, and since when the first is. */
  readonly running: Map<string, { count: number; readonly since: number }>;
  finishedAt: Date | null;
  finished: number;
  failed: number;
}

/** Counts what runs and ends in the queues of this process: a queue where nothing ends is not consumed. */
export class Runs {
  readonly #queues: ReadonlyMap<QueueName, Counters>;
  readonly #now: () => Date;

  constructor(served: readonly QueueName[], now: () => Date) {
    this.#queues = new Map(
      served.map((name) => [name, { running: new Map(), finishedAt: null, finished: 0, failed: 0 }]),
    );
    this.#now = now;
  }

  /** Runs `work`, a job of the queue with these keys; it ends well unless it throws. */
  async watch(
    queue: QueueName,
    job: string,
    keys: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    const counters = this.#queues.get(queue);
    if (counters === undefined) return work();
    const names = keys.map((key) => `${job} ${key}`);
    for (const name of names) enter(counters, name);
    try {
      await work();
      counters.finished += 1;
      counters.finishedAt = this.#now();
    } catch (error) {
      counters.failed += 1;
      throw error;
    } finally {
      for (const name of names) leave(counters, name);
    }
  }

  /** As of now. */
  byQueue(): RunsByQueue {
    return Object.fromEntries([...this.#queues].map(([name, counters]) => [name, snapshotOf(counters)]));
  }
}

function enter({ running }: Counters, name: string): void {
  const known = running.get(name);
  if (known === undefined) running.set(name, { count: 1, since: performance.now() });
  else known.count += 1;
}

function leave({ running }: Counters, name: string): void {
  const known = running.get(name);
  if (known === undefined) return;
  known.count -= 1;
  if (known.count === 0) running.delete(name);
}

function snapshotOf({ running, finishedAt, finished, failed }: Counters): QueueRuns {
  const slowSince = performance.now() - SLOW_MS;
  const slow = [...running.values()].filter(({ since }) => since <= slowSince).length;
  return { running: running.size, slow, finishedAt, finished, failed };
}
