import { run, sql, type Connection } from '../../platform/postgres/db.ts';

/** Within this time a relay takes what is due, and a worker finishes it. */
const OVERDUE_AFTER_SECONDS = 5;
/** A job that is due for longer is late. */
export const LATE_AFTER_SECONDS = 60;
/** Longer than a relay's lease, which hides a job for that long. */
const LOOK_AHEAD_SECONDS = 35;
/** Rows of a job that are read; more of them do not change what is reported. */
const MAX_ROWS = 1_000;

/** What is due of a kind of job, counted up to 1,000. */
export interface DueJobs {
  readonly job: string;
  readonly due: number;
  readonly oldest: Date;
  /** Of them, those that have been due for LATE_AFTER_SECONDS. */
  readonly late: number;
  /** Of them, those that have been due for 5 s. */
  readonly overdue: number;
  /** Since when the oldest is due that no relay has taken for 5 s; null: relays take what is due. */
  readonly oldest_unleased: Date | null;
}

// A lease puts visible_at ahead while run_at stays, so a job that is leased again and again, and that nobody
// finishes, is due since its run_at. Jobs that wait for their merchant's turn or are parked have an infinite
// visible_at, and those that failed are hidden until they are tried again: both have reports of their own.
// run_at says nothing of a job with a test clock (another time), of one that was tried before, and of one
// that had to wait for a turn: these are due since they became visible, or since their lease began.
// Walks from job to job, because the index (scheduled_jobs_due) begins with the job: a million rows that are
// not due cost nothing.
const dueJobs = sql<DueJobs, { now: Date }>(
  'due_jobs',
  (p) => `WITH RECURSIVE jobs AS (
     SELECT min(job) AS job FROM scheduled_jobs
     UNION ALL
     SELECT (SELECT min(job) FROM scheduled_jobs WHERE job > jobs.job) FROM jobs WHERE jobs.job IS NOT NULL
   ), due AS (
     SELECT jobs.job, visible_at, CASE
         WHEN test_clock IS NULL AND failures = 0 AND turn_of IS NULL THEN run_at
         WHEN visible_at <= ${p.now} THEN visible_at
         WHEN test_clock IS NULL AND failures = 0 AND run_at <= ${p.now}
           THEN visible_at - interval '${LOOK_AHEAD_SECONDS} seconds'
       END AS due_at
     FROM jobs, LATERAL (
       SELECT run_at, visible_at, failures, test_clock, turn_of FROM scheduled_jobs
       WHERE job = jobs.job
         AND visible_at <= ${p.now}::timestamptz + interval '${LOOK_AHEAD_SECONDS} seconds'
       ORDER BY visible_at LIMIT ${MAX_ROWS}
     ) near
   )
   SELECT job, count(*)::int AS due, min(due_at) AS oldest,
     count(*) FILTER (
       WHERE due_at < ${p.now}::timestamptz - interval '${LATE_AFTER_SECONDS} seconds')::int AS late,
     count(*) FILTER (
       WHERE due_at <= ${p.now}::timestamptz - interval '${OVERDUE_AFTER_SECONDS} seconds')::int AS overdue,
     min(due_at) FILTER (
       WHERE visible_at <= ${p.now}::timestamptz - interval '${OVERDUE_AFTER_SECONDS} seconds')
       AS oldest_unleased
   FROM due WHERE due_at <= ${p.now} GROUP BY job`,
);

/** What is due at `now` by kind of job, leased or not; kinds of which nothing is due are left out. */
export async function findDue(connection: Connection, now: Date): Promise<DueJobs[]> {
  return run(connection, dueJobs, { now });
}

// Index: scheduled_jobs_failing.
const failingJobs = sql<{ job: string; failing: number }, { now: Date }>(
  'failing_jobs',
  (p) => `SELECT job, count(*)::int AS failing FROM (
     SELECT job FROM scheduled_jobs
     WHERE failures > 0 AND test_clock IS NULL AND run_at <= ${p.now} AND visible_at < 'infinity'
     LIMIT ${MAX_ROWS}
   ) failed GROUP BY job`,
);

/**
 * How many jobs of each kind failed the last time and are tried again, counted up to 1,000 in all; jobs of
 * test clocks are left out.
 */
export async function countFailing(connection: Connection, now: Date): Promise<Map<string, number>> {
  const rows = await run(connection, failingJobs, { now });
  return new Map(rows.map(({ job, failing }) => [job, failing]));
}

/**
 * How many jobs have been due for 5 s, leased or not (counted up to 1000), and for how long the oldest: from
 * its run_at, whatever leases have hidden it since.
 */
export async function overdue(
  connection: Connection,
  now: Date,
): Promise<{ count: number; oldestSeconds: number }> {
  const late = (await findDue(connection, now)).filter((job) => job.overdue > 0);
  return {
    count: Math.min(
      MAX_ROWS,
      late.reduce((sum, job) => sum + job.overdue, 0),
    ),
    oldestSeconds: Math.max(0, ...late.map(({ oldest }) => (now.getTime() - oldest.getTime()) / 1000)),
  };
}
