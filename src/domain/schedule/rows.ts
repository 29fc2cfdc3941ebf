import { visibleAt, type TestClock } from '../../platform/clock.ts';
import { LEASED_WITHIN_SECONDS } from './beats.ts';
import type { Job } from './job.ts';

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
  /** Owning merchant, if the job is a merchant's. */
  readonly merchantId?: string;
}

/** A row of `scheduled_jobs`, as it travels in a recordset. */
export interface JobRow {
  readonly job: string;
  readonly key: string;
  readonly run_at: Date;
  /** When a worker may lease the job, in real time. */
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

/**
 * SQL: whether a worker of the previous release lets a job wait for its merchant's turn; the predicate of the
 * index scheduled_jobs_waiting.
 */
export const IS_WAITING = (table: string) =>
  `${table}.visible_at = 'infinity' AND ${table}.turn_since IS NOT NULL`;

/** A merchant with so many leased jobs of a name is served: what else of it is due waits for its share. */
export const SHARE = 6;
/** How many rows of a job are read: those that are leased come first. */
const MAX_AHEAD = 2_000;

/**
 * SQL: the merchants whose share of a job's runs is under way, as for_merchant; index scheduled_jobs_due. A
 * merchant may have very much due without anything being wrong.
 */
export const SERVED_MERCHANTS = (job: string, now: string) => `
     SELECT l.for_merchant FROM (
       SELECT for_merchant, leased_by FROM scheduled_jobs
       WHERE job = ${job} AND visible_at > ${now}
         AND visible_at <= ${now}::timestamptz + interval '${LEASED_WITHIN_SECONDS} seconds'
       ORDER BY visible_at LIMIT ${MAX_AHEAD}
     ) l
     WHERE l.leased_by IS NOT NULL AND l.for_merchant IS NOT NULL
     GROUP BY l.for_merchant HAVING count(*) >= ${SHARE}`;

/**
 * SQL: a CTE of the names that jobs have, `jobs`. It walks from name to name, because the index
 * scheduled_jobs_due begins with the name: a million rows that are not due cost nothing.
 */
export const JOB_NAMES = `RECURSIVE jobs AS (
     SELECT min(job) AS job FROM scheduled_jobs
     UNION ALL
     SELECT (SELECT min(job) FROM scheduled_jobs WHERE job > jobs.job) FROM jobs WHERE jobs.job IS NOT NULL
   )`;
