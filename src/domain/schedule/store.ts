import { visibleAt, type TestClock } from '../../platform/clock.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/job.ts';
import { JOB_COLUMNS, jobRows, type ScheduledJob } from './job-rows.ts';

export interface LeasedJob {
  readonly job: string;
  readonly key: string;
  readonly failures: number;
  readonly test_clock: string | null;
}

// In one order, so that two sets which overlap do not wait for each other's rows.
const upsertJobs = sql<never, { jobs: string }>(
  'schedule_jobs',
  (p) => `
    INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
    SELECT * FROM json_to_recordset(${p.jobs}::json) AS j (${JOB_COLUMNS})
    ORDER BY job, key
    ON CONFLICT (job, key) DO UPDATE SET
      run_at = excluded.run_at,
      visible_at = excluded.visible_at,
      failures = 0,
      last_error = NULL,
      version = scheduled_jobs.version + 1`,
);

/** Schedules jobs, or moves those that are scheduled already to their new time. Commits with the caller's transaction. */
export async function schedule(connection: Connection, jobs: readonly ScheduledJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await run(connection, upsertJobs, { jobs: jobRows(jobs) });
}

const insertMissingJobs = sql<never, { jobs: string }>(
  'schedule_missing_jobs',
  (p) => `
    INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
    SELECT * FROM json_to_recordset(${p.jobs}::json) AS j (${JOB_COLUMNS})
    ORDER BY job, key
    ON CONFLICT (job, key) DO NOTHING`,
);

/** Like `schedule`, but a job that is scheduled already keeps its time. */
export async function ensureScheduled(connection: Connection, jobs: readonly ScheduledJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await run(connection, insertMissingJobs, { jobs: jobRows(jobs) });
}

// A relay's lease puts visible_at after run_at, and scheduling puts it back: that, or a run_at after the handler began, says that the
// work was scheduled anew while it was being done. What is new must be done again. (A world's run_at is in a time of its own, and one
// pair of hands does a world's work.)
const NOT_MOVED_SINCE = (startedAt: string) =>
  `scheduled_jobs.run_at <= ${startedAt} AND (scheduled_jobs.visible_at > scheduled_jobs.run_at OR scheduled_jobs.test_clock IS NOT NULL)`;

const deleteFinished = sql(
  'finish_work',
  `DELETE FROM scheduled_jobs WHERE job = $1 AND key = ANY ($2) AND ${NOT_MOVED_SINCE('$3')}`,
);

/**
 * Takes work that a relay handed over off the schedule, unless it was scheduled anew since `startedAt`, when its handler began to
 * read what there was to do.
 */
export async function finish(
  connection: Connection,
  job: Job,
  keys: readonly string[],
  startedAt: Date,
): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, deleteFinished, [job.name, keys, startedAt]);
}

const rescheduleJob = sql(
  'reschedule_work',
  `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock) VALUES ($1, $2, $4, $5, $6)
   ON CONFLICT (job, key) DO UPDATE SET run_at = excluded.run_at, visible_at = excluded.visible_at, failures = 0, last_error = NULL
     WHERE ${NOT_MOVED_SINCE('$3')}`,
);

/** What `finish` is to work that is done, this is to work that recurs: writes when it is due again, unless it was scheduled anew. */
export async function reschedule(
  connection: Connection,
  job: Job,
  key: string,
  { startedAt, runAt, testClock }: { startedAt: Date; runAt: Date; testClock: TestClock | null },
): Promise<void> {
  await run(connection, rescheduleJob, [
    job.name,
    key,
    startedAt,
    runAt,
    visibleAt(runAt, testClock),
    testClock?.id ?? null,
  ]);
}

const deleteJobs = sql('cancel_work', `DELETE FROM scheduled_jobs WHERE job = $1 AND key = ANY ($2)`);

/** Takes work off the schedule whenever it was to run. */
export async function cancel(connection: Connection, job: Job, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, deleteJobs, [job.name, keys]);
}

// The rows are found once, as an array, and updated where they lie: joined to the table by their keys, a plan could read all of it, or
// look for due rows anew for each row that it updates and take more than the limit.
const leaseJobs = sql<LeasedJob>(
  'claim_work',
  `UPDATE scheduled_jobs SET visible_at = $2
   WHERE ctid = ANY (ARRAY(
     SELECT due.ctid FROM unnest($3::text[], $4::int[]) AS wanted (job, count), LATERAL (
       SELECT ctid FROM scheduled_jobs d WHERE d.job = wanted.job AND d.visible_at <= $1
       ORDER BY d.visible_at LIMIT wanted.count FOR UPDATE SKIP LOCKED) due))
   RETURNING job, key, failures, test_clock`,
);

/**
 * Leases work that is due at `now` until `leaseEnd`, of each job at most so many pieces as `limits` says, and answers it: a
 * backlog of one job does not hold up another. Exactly the rows read are marked (a row that commits late is found next time); rows
 * that another relay has locked are passed over. Work that is not finished when its lease ends is due again: so whatever a
 * queue loses comes back.
 */
export async function leaseDue(
  connection: Connection,
  limits: ReadonlyMap<string, number>,
  now: Date,
  leaseEnd: Date,
): Promise<LeasedJob[]> {
  return run(connection, leaseJobs, [now, leaseEnd, [...limits.keys()], [...limits.values()]]);
}

// $4 is real time, which the run_at of a world cannot be compared with.
const recordJobFailure = sql(
  'fail_work',
  `UPDATE scheduled_jobs SET failures = failures + 1, last_error = $3,
     visible_at = $4::timestamptz + make_interval(secs => least(600, 2 ^ least(failures, 16)))
   WHERE job = $1 AND key = ANY ($2) AND (test_clock IS NOT NULL OR (${NOT_MOVED_SINCE('$4')}))`,
);

/**
 * Notes that handling failed, and hides the work for 1 s, 2 s, 4 s ... at most 10 min, unless it was scheduled anew meanwhile. It is
 * never given up: work about money that cannot be done needs a person, who sees it in the log, in the metrics and in the queue's
 * failed jobs.
 */
export async function recordFailure(
  connection: Connection,
  job: Job,
  keys: readonly string[],
  error: string,
  now: Date,
): Promise<void> {
  await run(connection, recordJobFailure, [job.name, keys, error.slice(0, 1000), now]);
}

// A walk from job to job, because the index begins with the job: it costs the same with a million rows that are not due.
const overdueJobs = sql<{ overdue: string; oldest_seconds: number | null }>(
  'overdue_work',
  `WITH RECURSIVE jobs AS (
     SELECT min(job) AS job FROM scheduled_jobs
     UNION ALL SELECT (SELECT min(job) FROM scheduled_jobs WHERE job > jobs.job) FROM jobs WHERE jobs.job IS NOT NULL
   )
   SELECT count(*) AS overdue, extract(epoch FROM $1::timestamptz - min(run_at))::float8 AS oldest_seconds
   FROM (
     SELECT late.run_at FROM jobs, LATERAL (
       SELECT run_at FROM scheduled_jobs WHERE job = jobs.job AND visible_at <= $1::timestamptz - interval '5 seconds'
       ORDER BY visible_at LIMIT 1000) late
     LIMIT 1000) first_ones`,
);

/** How much work has waited more than 5 s for a relay (counted up to 1000), and for how long: the sign that no worker is at work. */
export async function overdue(
  connection: Connection,
  now: Date,
): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await run(connection, overdueJobs, [now]);
  return { count: Number(row?.overdue ?? 0), oldestSeconds: row?.oldest_seconds ?? 0 };
}
