import type { TestClock } from '../../platform/clock.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Job } from './job.ts';
import { IS_PARKED } from './parking.ts';

interface NextJob {
  readonly testClock: string;
  readonly until: Date;
  readonly skipped: readonly string[];
  readonly first: readonly string[];
}

// Index: scheduled_jobs_of_test_clock. The order of two jobs at one moment must not depend on when they were
// first written, long ago and rescheduled since.
const nextJob = sql<{ job: string; key: string; run_at: Date }, NextJob>(
  'next_job_of_test_clock',
  (p) => `SELECT job, key, run_at FROM scheduled_jobs
   WHERE test_clock = ${p.testClock} AND run_at <= ${p.until} AND NOT (job || ' ' || key = ANY (${p.skipped}))
     AND NOT (${IS_PARKED})
   ORDER BY run_at, array_position(${p.first}::text[], job),
     CASE WHEN job = ANY (${p.first}::text[]) THEN key END, place LIMIT 1`,
);

/**
 * The job of a test clock that is due first, up to `until` in the time of that clock, except `skipped` (`job
 * key`) and parked ones; null: none. At one moment the jobs of `first` precede all others, one after the
 * other, each by key; the others follow in the order in which they were written.
 */
export async function nextJobOfTestClock(
  connection: Connection,
  testClock: string,
  until: Date,
  { first, skipped }: { first: readonly Job[]; skipped: readonly string[] },
): Promise<{ job: string; key: string; runAt: Date } | null> {
  const row = await runOne(connection, nextJob, {
    testClock,
    until,
    skipped,
    first: first.map(({ name }) => name),
  });
  return row === null ? null : { job: row.job, key: row.key, runAt: row.run_at };
}

const updateVisibility = sql<never, { id: string; offsetMs: number; frozenUntil: Date | null }>(
  'follow_test_clock',
  (p) => `UPDATE scheduled_jobs
   SET visible_at = greatest(run_at - make_interval(secs => ${p.offsetMs}::float8 / 1000), ${p.frozenUntil})
   WHERE test_clock = ${p.id} AND NOT (${IS_PARKED})`,
);

/**
 * Makes the jobs of a test clock visible to workers when that clock says so: not before the end of a
 * freeze.
 */
export async function followTestClock(
  connection: Connection,
  { id, offsetMs, frozenUntil }: TestClock,
): Promise<void> {
  await run(connection, updateVisibility, { id, offsetMs, frozenUntil });
}
