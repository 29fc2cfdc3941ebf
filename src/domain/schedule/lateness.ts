import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { LEASED_WITHIN_SECONDS } from './beats.ts';
import { JOB_NAMES, SERVED_MERCHANTS, SHARE } from './rows.ts';

/** Within this time a worker leases what is due, and finishes it. */
const OVERDUE_AFTER_SECONDS = 5;
/** A job that is due for longer is late. */
export const LATE_AFTER_SECONDS = 60;
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
  /** Since when the oldest is due that nobody has leased for 5 s; null: workers lease what is due. */
  readonly oldest_unleased: Date | null;
}

// A lease puts visible_at ahead while run_at stays, so a job that is leased again and again, and that nobody
// finishes, is due since its run_at. Parked jobs have an infinite visible_at, and those that failed are
// hidden until they are tried again: both have reports of their own. So have jobs of merchants whose share of
// the runs is under way. run_at says nothing of a job with a test clock (another time) and of one that was
// tried before: these are due since they became visible, or since their lease began.
const dueJobs = sql<DueJobs, { now: Date }>(
  'due_jobs',
  (p) => `WITH ${JOB_NAMES}, due AS (
     SELECT jobs.job, visible_at, CASE
         WHEN test_clock IS NULL AND failures = 0 THEN run_at
         WHEN visible_at <= ${p.now} THEN visible_at
         WHEN test_clock IS NULL AND failures = 0 AND run_at <= ${p.now}
           THEN visible_at - interval '${LEASED_WITHIN_SECONDS} seconds'
       END AS due_at
     FROM jobs, LATERAL (
       SELECT run_at, visible_at, failures, test_clock, for_merchant FROM scheduled_jobs
       WHERE job = jobs.job
         AND visible_at <= ${p.now}::timestamptz + interval '${LEASED_WITHIN_SECONDS} seconds'
       ORDER BY visible_at LIMIT ${MAX_ROWS}
     ) near
     WHERE for_merchant IS NULL OR for_merchant NOT IN (${SERVED_MERCHANTS('jobs.job', p.now)})
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

/** Jobs of a merchant whose share of the runs is under way: they wait for a slot. */
export interface WaitingJobs {
  readonly merchant_id: string;
  /** Counted up to 10,000. */
  readonly jobs: number;
  /** How long the oldest has waited. */
  readonly seconds: number;
}

// Index: scheduled_jobs_due. A job that became due within a second waits for nothing but its run, and so does
// one of a merchant of which little is due. A job that is scheduled again while it runs has no lease.
const waitingJobs = sql<WaitingJobs, { now: Date }>(
  'jobs_waiting_for_slots',
  (p) => `WITH ${JOB_NAMES}
   SELECT waiting.for_merchant AS merchant_id, sum(waiting.jobs)::int AS jobs, max(waiting.seconds) AS seconds
   FROM jobs, LATERAL (
     SELECT for_merchant, count(*) AS jobs,
       max(extract(epoch FROM ${p.now}::timestamptz - visible_at))::float8 AS seconds
     FROM (
       SELECT for_merchant, visible_at FROM scheduled_jobs d
       WHERE d.job = jobs.job AND d.visible_at < ${p.now}::timestamptz - interval '1 second'
       ORDER BY visible_at LIMIT 10000
     ) due
     WHERE for_merchant IS NOT NULL GROUP BY for_merchant HAVING count(*) >= ${SHARE}
   ) waiting
   GROUP BY waiting.for_merchant ORDER BY jobs DESC`,
);

/** Who has jobs that wait for a slot, those with the most first. */
export async function findWaitingJobs(connection: Connection, now: Date): Promise<WaitingJobs[]> {
  return run(connection, waitingJobs, { now });
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
