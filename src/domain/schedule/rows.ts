import { visibleAt, type TestClock } from '../../platform/clock.ts';
import type { Job } from '../../platform/job.ts';

/** `job` says what to do, `key` what it is about: the id of a payment, the name of a network, ... */
export interface ScheduledJob {
  readonly job: Job;
  readonly key: string;
  /** In the time of the test clock that the job belongs to. */
  readonly runAt: Date;
  /**
   * Null: the system clock. Required, so that a job of an isolated payment cannot lose its clock in silence.
   */
  readonly testClock: TestClock | null;
  /** Whose the job is, where its declaration says that it is somebody's. */
  readonly merchantId?: string;
}

/** A row of `scheduled_jobs`, as it travels in a recordset. */
export interface JobRow {
  readonly job: string;
  readonly key: string;
  readonly run_at: Date;
  /** When a relay may lease the job, in real time. */
  readonly visible_at: Date;
  readonly test_clock: string | null;
  readonly for_merchant: string | null;
}

/** The rows of jobs, for `recordset` and `JOB_COLUMNS`. */
export function jobRows(jobs: readonly ScheduledJob[]): JobRow[] {
  return jobs.map(({ job, key, runAt, testClock, merchantId }) => ({
    job: job.name,
    key,
    run_at: runAt,
    visible_at: visibleAt(runAt, testClock),
    test_clock: testClock?.id ?? null,
    for_merchant: merchantId ?? null,
  }));
}

/** The columns that a new job needs, for the list of an INSERT. */
export const JOB_COLUMNS = 'job, key, run_at, visible_at, test_clock, for_merchant';

/** The same columns with their types: `json_to_recordset(...) AS jobs (${JOB_COLUMN_TYPES})`. */
export const JOB_COLUMN_TYPES =
  'job text, key text, run_at timestamptz, visible_at timestamptz, test_clock text, for_merchant text';

/** SQL: whether a job waits for its merchant's turn; the predicate of the index scheduled_jobs_waiting. */
export const IS_WAITING = (table: string) =>
  `${table}.visible_at = 'infinity' AND ${table}.turn_since IS NOT NULL`;
