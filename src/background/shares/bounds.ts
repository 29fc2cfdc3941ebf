import type { Job, QueueName } from '../../platform/job.ts';

/**
 * The most keys of batches that a queue gets in a pass, and that wait in it: what becomes due of another
 * merchant comes behind them, and a pass that leases more delays the jobs of all other names.
 */
export const MAX_KEYS = 1_000;

/**
 * How long a job may take before the relay adds it to a queue again: the bound within which a job that a
 * queue lost comes back.
 */
export const LEASE_SECONDS = 30;

export interface Bounds {
  /** The most batches of one job in a pass, and the most that a queue gets before its jobs are counted. */
  readonly aPass: number;
  /**
   * A queue with this many waiting jobs gets no more: a job that waits in Postgres costs nothing. It bounds a
   * queue whose workers are slow or absent, to which the same jobs are added again whenever their leases end.
   */
  readonly waiting: number;
}

/** Of a queue whose jobs have few keys. */
export const BOUNDS: Bounds = { aPass: 100, waiting: 500 };

/** The bounds of each queue, by the largest batches of its jobs. */
export function boundsOf(jobs: readonly Job[]): ReadonlyMap<QueueName, Bounds> {
  const bounds = new Map<QueueName, Bounds>();
  for (const { queue, batch } of jobs) {
    const { aPass, waiting } = bounds.get(queue) ?? BOUNDS;
    const batches = Math.ceil(MAX_KEYS / batch);
    bounds.set(queue, { aPass: Math.min(aPass, batches), waiting: Math.min(waiting, batches) });
  }
  return bounds;
}
