import type { TestClock } from '../../platform/clock.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/job.ts';

// Which of two things comes first at one moment must not hang on which of them was first written once, long ago and rescheduled since.
const nextJob = sql<{ job: string; key: string; run_at: Date }>(
  'next_work_of_world',
  `SELECT job, key, run_at FROM scheduled_jobs WHERE test_clock = $1 AND run_at <= $2 AND NOT (job || ' ' || key = ANY ($3))
   ORDER BY run_at, CASE job WHEN $4 THEN key END, place LIMIT 1`,
);

/**
 * The work of a world that falls due first, until `until` in that world's time, but for `passedOver` (`job key`); null: none.
 * At one moment the work of `first` comes before all other, by key; the other in the order in which it was written.
 */
export async function nextJobOfTestClock(
  connection: Connection,
  testClock: string,
  until: Date,
  { first, passedOver }: { first: Job; passedOver: readonly string[] },
): Promise<{ job: string; key: string; runAt: Date } | null> {
  const row = await runOne(connection, nextJob, [testClock, until, passedOver, first.name]);
  return row === null ? null : { job: row.job, key: row.key, runAt: row.run_at };
}

const updateVisibility = sql(
  'show_work_of_world',
  `UPDATE scheduled_jobs SET visible_at = greatest(run_at - make_interval(secs => $2::float8 / 1000), $3) WHERE test_clock = $1`,
);

/** Makes the relay see a world's work as its clock says: later while the clock is held. */
export async function followTestClock(
  connection: Connection,
  { id, offsetMs, frozenUntil }: TestClock,
): Promise<void> {
  await run(connection, updateVisibility, [id, offsetMs, frozenUntil]);
}
