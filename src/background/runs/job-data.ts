import type { LeasedJob } from '../../domain/schedule/lease.ts';
import type { Job } from '../../domain/schedule/job.ts';

/** The data of a queue's job, as operators see it. */
export interface JobData {
  /** What its run has leased; before that, what it was added for. */
  readonly keys: readonly string[];
  /** Owning merchants of what was leased. */
  readonly merchants?: readonly string[];
}

/**
 * Throws, so that an operator sees the job among the failed ones, unless its data is the service's. Whoever
 * can write to the queue's store may have added it.
 */
export function checkData(data: unknown): void {
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : undefined;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string'))
    throw new Error('the data of a job must be { keys: string[] }');
}

/** What a run returns, as operators see it. */
export interface RunReport {
  readonly outcome: 'done' | 'nothing was due' | 'no slot was free' | 'workers are drained';
  /** Of the jobs that ran, at most 20. */
  readonly keys: readonly string[];
  /** Their owning merchants, where the job type is per merchant. */
  readonly merchants: readonly string[];
  readonly count: number;
}

/**
 * How many jobs without a batch one run takes. Each has a slot of its own; what is saved is the queue's work
 * for the others (some 3 ms of Postgres on its engine, by pg_stat_statements).
 */
const KEYS_OF_RUN = 16;

/** How many jobs one run leases at most. */
export function keysOfRun({ batch }: Job): number {
  return batch > 1 ? batch : KEYS_OF_RUN;
}

/**
 * Groups the jobs of a run: those of a batch run together. A job that failed before runs alone, so that one
 * that cannot succeed fails no other; so does a job of a test clock, which goes by that clock.
 */
export function unitsOf({ batch }: Job, leased: readonly LeasedJob[]): LeasedJob[][] {
  const isAlone = ({ failures, test_clock }: LeasedJob) => batch === 1 || failures > 0 || test_clock !== null;
  const batched = leased.filter((one) => !isAlone(one));
  return [...(batched.length === 0 ? [] : [batched]), ...leased.filter(isAlone).map((one) => [one])];
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
