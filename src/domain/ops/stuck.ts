import { IS_PARKED, IS_STUCK } from '../schedule/parking.ts';
import { run, sql, type Connection, type Db } from '../../platform/postgres/db.ts';
import { lockAll } from '../payments/lifecycle/store.ts';

/** A job that has failed too often in a row. */
export interface StuckJob {
  readonly job: string;
  readonly key: string;
  readonly failures: number;
  /** Null: it is a job that recurs, and is retried every 10 minutes. */
  readonly parked_at: Date | null;
  /** Of a payment with a test clock, in the time of that clock. */
  readonly run_at: Date;
  readonly last_error: string | null;
}

/** Narrows to a kind of job, and to one of them; null: all. */
export interface Which {
  readonly job: string | null;
  readonly key: string | null;
}

/** SQL: whether a job is one of `Which`. */
export const MATCHES = (p: { readonly [name in keyof Which]: string }) =>
  `(${p.job}::text IS NULL OR job = ${p.job}) AND (${p.key}::text IS NULL OR key = ${p.key})`;

const stuckJobs = sql<StuckJob, Which & { limit: number }>(
  'stuck_jobs',
  (p) => `
   SELECT job, key, failures, CASE WHEN ${IS_PARKED} THEN parked_at END AS parked_at, run_at, last_error
   FROM scheduled_jobs WHERE ${IS_STUCK} AND ${MATCHES(p)}
   ORDER BY job, key LIMIT ${p.limit}`,
);

/** The most stuck jobs that are listed at once. */
export const MAX_LISTED = 1_000;

/** The stuck jobs, at most MAX_LISTED, by job and key. */
export async function listStuck(connection: Connection, which: Which): Promise<StuckJob[]> {
  return run(connection, stuckJobs, { ...which, limit: MAX_LISTED });
}

const stuckCounts = sql<{ job: string; count: number }>(
  'count_stuck_jobs',
  `SELECT job, count(*)::int AS count FROM scheduled_jobs WHERE ${IS_STUCK} GROUP BY job ORDER BY job`,
);

/** How many jobs of each kind are stuck. */
export async function countStuck(connection: Connection): Promise<{ job: string; count: number }[]> {
  return run(connection, stuckCounts, []);
}

const clocksOfParked = sql<{ id: string }, Which>(
  'test_clocks_of_parked_jobs',
  (p) => `
   SELECT DISTINCT test_clock AS id FROM scheduled_jobs
   WHERE ${IS_PARKED} AND ${MATCHES(p)} AND test_clock IS NOT NULL`,
);

// Due as they were, by the clock that they belong to; the version tells a run that is under way that there is
// more to do. Locked in one order, as everywhere.
const release = sql<{ job: string; key: string }, Which & { clocks: readonly string[] }>(
  'release_parked_jobs',
  (p) => `
   WITH parked AS MATERIALIZED (
     SELECT job, key FROM scheduled_jobs
     WHERE ${IS_PARKED} AND ${MATCHES(p)} AND (test_clock IS NULL OR test_clock = ANY (${p.clocks}))
     ORDER BY job, key FOR UPDATE
   ), clock AS (
     SELECT w.job, w.key, p.clock_offset_ms, p.clock_frozen_until
     FROM parked JOIN scheduled_jobs w USING (job, key) LEFT JOIN payments p ON p.id = w.test_clock
   )
   UPDATE scheduled_jobs w SET failures = 0, last_error = NULL, parked_at = NULL, version = w.version + 1,
     visible_at = greatest(
       w.run_at - make_interval(secs => coalesce(clock.clock_offset_ms, 0)::float8 / 1000),
       clock.clock_frozen_until)
   FROM clock WHERE w.job = clock.job AND w.key = clock.key
   RETURNING w.job, w.key`,
);

/**
 * Releases parked jobs: they are due as they were, with no failures. Returns which. Their test clocks are
 * locked first: one that is advanced meanwhile would leave its jobs at the time that it had before.
 */
export async function releaseParked(db: Db, which: Which): Promise<{ job: string; key: string }[]> {
  return db.transaction(async (tx) => {
    const clocks = (await run(tx, clocksOfParked, which)).map(({ id }) => id);
    await lockAll(tx, clocks);
    return run(tx, release, { ...which, clocks });
  });
}

/** The stuck jobs as text for operators, one line each. */
export function stuckText(jobs: readonly StuckJob[]): string {
  if (jobs.length === 0) return 'No job is stuck.';
  return jobs
    .map(({ job, key, failures, parked_at, last_error }) => {
      const state = parked_at === null ? 'retried every 10 min' : `parked since ${parked_at.toISOString()}`;
      return `${job}  ${key}  ${failures} failures, ${state}: ${last_error ?? ''}`;
    })
    .join('\n');
}
