import { visibleAt, type TestClock } from '../../platform/clock.ts';
import { recordset, run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Job } from './job.ts';
import { enqueueOnCommit } from './enqueue.ts';
import { IS_STUCK, parkStuck } from './parking.ts';
import { JOB_COLUMN_TYPES, JOB_COLUMNS, jobRows, type ScheduledJob } from './rows.ts';

/**
 * SQL: writes the jobs of a recordset. Sorted, so that two sets which overlap lock their rows in one order
 * and cannot deadlock. Whoever runs it enqueues the jobs once they are committed (enqueue.ts).
 */
export const SCHEDULE = (rows: string) => `INSERT INTO scheduled_jobs (${JOB_COLUMNS})
   SELECT ${JOB_COLUMNS} FROM json_to_recordset(${rows}::json) AS jobs (${JOB_COLUMN_TYPES})
   ORDER BY job, key
   ON CONFLICT (job, key) DO UPDATE
     SET run_at = excluded.run_at, visible_at = excluded.visible_at, failures = 0, last_error = NULL,
       version = scheduled_jobs.version + 1, leased_by = NULL, turn_since = NULL,
       for_merchant = coalesce(scheduled_jobs.for_merchant, excluded.for_merchant)`;

const upsertJobs = sql<never, { rows: string }>('schedule_jobs', (p) => SCHEDULE(p.rows));

/**
 * Writes jobs, or moves those that exist to their new time. Commits with the caller's transaction; those that
 * are due now are enqueued then.
 */
export async function schedule(connection: Connection, jobs: readonly ScheduledJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await run(connection, upsertJobs, { rows: recordset(jobRows(jobs)) });
  enqueueOnCommit(connection, jobs);
}

const insertMissingJobs = sql<never, { rows: string }>(
  'schedule_missing_jobs',
  (p) => `INSERT INTO scheduled_jobs (${JOB_COLUMNS})
   SELECT ${JOB_COLUMNS} FROM json_to_recordset(${p.rows}::json) AS jobs (${JOB_COLUMN_TYPES})
   ON CONFLICT (job, key) DO NOTHING`,
);

/**
 * Like `schedule`, but jobs that exist keep their time: for recurring jobs, which every worker declares at
 * its start.
 */
export async function ensureScheduled(connection: Connection, jobs: readonly ScheduledJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await run(connection, insertMissingJobs, { rows: recordset(jobRows(jobs)) });
  enqueueOnCommit(connection, jobs);
}

// A lease puts visible_at after run_at, and scheduling puts it back. So visible_at <= run_at, or a
// run_at after the start of the handler, means that the job was rescheduled while it ran, and must run again.
// (The run_at of a test clock cannot be compared with real time; its jobs run one after the other.)
const notRescheduledSince = (startedAt: string) =>
  `scheduled_jobs.run_at <= ${startedAt}
     AND (scheduled_jobs.visible_at > scheduled_jobs.run_at OR scheduled_jobs.test_clock IS NOT NULL)`;

const upsertUnmoved = sql<never, { rows: string; startedAt: Date }>(
  'put_off_jobs',
  (p) => `${SCHEDULE(p.rows)} WHERE ${notRescheduledSince(p.startedAt)}`,
);

/**
 * Puts off jobs whose handler runs, unless they were rescheduled since `startedAt`, when it began to read
 * what to do: what they wait for may have come meanwhile, and woken them. Their new time is not now.
 */
export async function putOff(
  connection: Connection,
  jobs: readonly ScheduledJob[],
  startedAt: Date,
): Promise<void> {
  if (jobs.length > 0) await run(connection, upsertUnmoved, { rows: recordset(jobRows(jobs)), startedAt });
}

const deleteFinished = sql<never, { job: string; keys: readonly string[]; startedAt: Date }>(
  'finish_jobs',
  (p) => `DELETE FROM scheduled_jobs
   WHERE job = ${p.job} AND key = ANY (${p.keys}) AND ${notRescheduledSince(p.startedAt)}`,
);

/**
 * Deletes jobs that are done, unless they were rescheduled since `startedAt`, when the handler began to read
 * what to do.
 */
export async function finish(
  connection: Connection,
  job: Job,
  keys: readonly string[],
  startedAt: Date,
): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, deleteFinished, { job: job.name, keys, startedAt });
}

interface Rescheduling {
  readonly job: string;
  readonly key: string;
  readonly startedAt: Date;
  readonly runAt: Date;
  readonly visibleAt: Date;
  readonly testClock: string | null;
}

const rescheduleJob = sql<never, Rescheduling>(
  'reschedule_job',
  (p) => `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
   VALUES (${p.job}, ${p.key}, ${p.runAt}, ${p.visibleAt}, ${p.testClock})
   ON CONFLICT (job, key) DO UPDATE
     SET run_at = excluded.run_at, visible_at = excluded.visible_at, failures = 0, last_error = NULL,
       leased_by = NULL
     WHERE ${notRescheduledSince(p.startedAt)}`,
);

/**
 * Writes when a job runs next, unless it was rescheduled since `startedAt`: for jobs that recur, what
 * `finish` is for the others.
 */
export async function reschedule(
  connection: Connection,
  job: Job,
  key: string,
  { startedAt, runAt, testClock }: { startedAt: Date; runAt: Date; testClock: TestClock | null },
): Promise<void> {
  await run(connection, rescheduleJob, {
    job: job.name,
    key,
    startedAt,
    runAt,
    visibleAt: visibleAt(runAt, testClock),
    testClock: testClock?.id ?? null,
  });
  enqueueOnCommit(connection, [{ job, key, runAt, testClock }]);
}

const deleteJobs = sql<never, { job: string; keys: readonly string[] }>(
  'cancel_jobs',
  (p) => `DELETE FROM scheduled_jobs WHERE job = ${p.job} AND key = ANY (${p.keys})`,
);

/** Deletes jobs, due or not. */
export async function cancel(connection: Connection, job: Job, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, deleteJobs, { job: job.name, keys });
}

// `test_clock IS NOT NULL` first: `now` is real time, which the run_at of a test clock cannot be compared
// with.
const recordJobFailure = sql<
  { is_stuck: boolean },
  { job: string; keys: readonly string[]; error: string; now: Date }
>(
  'record_job_failure',
  (p) => `UPDATE scheduled_jobs SET failures = failures + 1, last_error = ${p.error}, leased_by = NULL,
     visible_at = ${p.now}::timestamptz + make_interval(secs => least(600, 2 ^ least(failures, 16)))
   WHERE job = ${p.job} AND key = ANY (${p.keys})
     AND (test_clock IS NOT NULL OR (${notRescheduledSince(p.now)}))
   RETURNING ${IS_STUCK} AS is_stuck`,
);

/**
 * Records that a handler failed, and hides the jobs for 1 s, 2 s, 4 s ... at most 10 min, unless they were
 * rescheduled meanwhile; parks those that fail again and again, and returns their keys. A job is never
 * dropped: one about money that cannot be done needs a person, who sees it in the log, in the metrics and
 * among the stuck jobs.
 */
export async function recordFailure(
  connection: Connection,
  job: Job,
  keys: readonly string[],
  error: string,
  now: Date,
): Promise<string[]> {
  const failure = { job: job.name, keys, error: error.slice(0, 1000), now };
  const recorded = await run(connection, recordJobFailure, failure);
  return recorded.some(({ is_stuck }) => is_stuck) ? parkStuck(connection, job, keys, now) : [];
}
