import type { Queue } from 'bullmq';
import type { Log } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';

/**
 * How long jobs stay for operators: a queue job runs once, as retries belong to the scheduled jobs. A failed
 * one stays a day.
 */
const JOB_OPTIONS = { attempts: 1, keepLogs: 10, removeOnFail: { age: 86_400, count: 1_000 } } as const;

/** On Redis a finished job stays an hour, and of a queue the latest thousand. */
export const REDIS_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: { age: 3_600, count: 1_000 } } as const;

/**
 * On Postgres `sweepFinishedOnce` deletes finished jobs. BullMQ itself would look for what to remove after
 * each job, among all jobs of the queue, because the plan that it keeps cannot use its partial index (4.8 of
 * the 9 ms that a job took there with 1,000 finished ones, by pg_stat_statements).
 */
export const POSTGRES_JOB_OPTIONS = { ...JOB_OPTIONS, removeOnComplete: false } as const;

/** Shorter than on Redis, whose count bounds them: counting what waits in a queue reads all of its jobs. */
export const FINISHED_KEPT_MS = 300_000;
const SWEEP_MS = 60_000;

type Swept = Pick<Queue, 'clean'>;

/** Deletes the jobs of queues that have finished longer than `keptMs` ago. */
export async function sweepFinishedOnce(queues: readonly Swept[], keptMs = FINISHED_KEPT_MS): Promise<void> {
  for (const queue of queues) await queue.clean(keptMs, 0, 'completed');
}

/**
 * Sweeps again and again while this worker `leads`, until the returned function is called; it waits for a
 * sweep that is under way.
 */
export function sweepFinished(
  queues: readonly Swept[],
  log: Log,
  leads: () => boolean,
): () => Promise<unknown> {
  let sweep: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (!leads()) return;
    sweep = sweep
      .then(() => sweepFinishedOnce(queues))
      .catch((error: unknown) =>
        log.warn('finished jobs were not deleted from the queues; they are in a minute', faultOf(error)),
      );
  }, SWEEP_MS);
  return () => {
    clearInterval(timer);
    return sweep;
  };
}
