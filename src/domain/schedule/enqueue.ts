import type { Connection, Db } from '../../platform/postgres/db.ts';
import type { ScheduledJob } from './rows.ts';

/** Tells the queues about scheduled jobs. Nobody waits for it: the sweep finds what it loses. */
export interface Enqueuer {
  /** Enqueues those of the jobs that are due now, or soon. */
  enqueue(jobs: readonly EnqueuedJob[]): void;
}

/** A job whose row is committed. */
export type EnqueuedJob = Pick<ScheduledJob, 'job' | 'key' | 'runAt' | 'testClock'>;

/** The key of `userParams` under which the enqueuers of a pool are found; transactions inherit them. */
const ENQUEUERS = 'enqueuers';

function enqueuersOf({ userParams }: Connection): Set<Enqueuer> {
  const params = userParams as { [ENQUEUERS]?: Set<Enqueuer> };
  return (params[ENQUEUERS] ??= new Set());
}

/**
 * Passes what is scheduled on the pool to `enqueuer` from now on, until the returned function is called. Of
 * several enqueuers the first gets it.
 */
export function enqueueWith(db: Db, enqueuer: Enqueuer): () => void {
  const enqueuers = enqueuersOf(db);
  enqueuers.add(enqueuer);
  return () => void enqueuers.delete(enqueuer);
}

/**
 * Enqueues jobs that `connection` has written, once they are committed: after a rollback it does nothing. A
 * process that dies in between leaves due rows, which the sweep finds.
 */
export function enqueueOnCommit(connection: Connection, jobs: readonly EnqueuedJob[]): void {
  const [enqueuer] = enqueuersOf(connection);
  if (enqueuer === undefined || jobs.length === 0) return;
  const enqueue = () => enqueuer.enqueue(jobs);
  if ('executionPromise' in connection) connection.executionPromise.then(enqueue, () => undefined);
  else enqueue();
}
