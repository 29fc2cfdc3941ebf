import { visibleAt, type TestClock } from '../../platform/clock.ts';
import type { Job } from '../../platform/job.ts';
import { recordset } from '../../platform/postgres/db.ts';

/** Work that a job does at a time: `key` is what it is about (a payment's id, a network's name, ...). */
export interface ScheduledJob {
  readonly job: Job;
  readonly key: string;
  /** In the time of the test clock, where the work belongs to one. */
  readonly runAt: Date;
  /** Null: the work belongs to no test clock. */
  readonly testClock: TestClock | null;
}

/** SQL: the columns of `jobRows`, and of the table that it is inserted into. */
export const JOB_COLUMNS = 'job text, key text, run_at timestamptz, visible_at timestamptz, test_clock text';

/** Scheduled jobs as one recordset of JOB_COLUMNS. */
export function jobRows(jobs: readonly ScheduledJob[]): string {
  return recordset(
    jobs.map(({ job, key, runAt, testClock }) => ({
      job: job.name,
      key,
      run_at: runAt,
      visible_at: visibleAt(runAt, testClock),
      test_clock: testClock?.id ?? null,
    })),
  );
}
