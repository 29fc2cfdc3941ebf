import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Job } from './job.ts';

/**
 * A job that failed this often in a row is stuck: about 3.6 h after its first failure, longer than most
 * outages of what it needs.
 */
export const STUCK_AFTER_FAILURES = 30;

/** SQL: whether a job is stuck; index scheduled_jobs_failing. */
export const IS_STUCK = `failures >= ${STUCK_AFTER_FAILURES}`;

/**
 * SQL: whether a job is parked: no run leases it. A job that is scheduled again, because there is something
 * new to do, has no failures any more.
 */
export const IS_PARKED = `${IS_STUCK} AND visible_at = 'infinity' AND parked_at IS NOT NULL`;

interface ParkParams {
  readonly job: string;
  readonly keys: readonly string[];
  readonly recurring: readonly string[];
  readonly now: Date;
}

// A job that was rescheduled meanwhile has no failures, so it is not parked.
const park = sql<{ key: string }, ParkParams>(
  'park_jobs',
  (p) => `UPDATE scheduled_jobs SET visible_at = 'infinity', parked_at = ${p.now}
   WHERE job = ${p.job} AND key = ANY (${p.keys}) AND key <> ALL (${p.recurring}) AND ${IS_STUCK}
   RETURNING key`,
);

/**
 * Parks those of the jobs that have failed too often: they keep their row, and wait for an operator who
 * releases them (ops/stuck.ts). Keys that run for as long as the service does are not parked: every payment
 * of a network would stop with its sync. Returns the keys that are parked now.
 */
export async function parkStuck(
  connection: Connection,
  job: Job,
  keys: readonly string[],
  now: Date,
): Promise<string[]> {
  const parked = await run(connection, park, { job: job.name, keys, recurring: job.keys, now });
  return parked.map(({ key }) => key);
}
