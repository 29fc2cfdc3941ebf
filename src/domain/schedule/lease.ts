import { recordset, run, sql, type Connection } from '../../platform/postgres/db.ts';

export interface LeasedJob {
  readonly job: string;
  readonly key: string;
  readonly failures: number;
  readonly test_clock: string | null;
}

// Index: scheduled_jobs_due. The rows are found once, as an array of ctids: joined by their keys, a plan
// could read the whole table, or search for due rows again for each row that it updates, and lease more than
// the limit.
const leaseJobs = sql<LeasedJob, { now: Date; leaseEnd: Date; limits: string }>(
  'lease_due_jobs',
  (p) => `UPDATE scheduled_jobs SET visible_at = ${p.leaseEnd}
   WHERE ctid = ANY (ARRAY(
     SELECT due.ctid
     FROM json_to_recordset(${p.limits}::json) AS wanted (job text, count int), LATERAL (
       SELECT ctid FROM scheduled_jobs d
       WHERE d.job = wanted.job AND d.visible_at <= ${p.now}
       ORDER BY d.visible_at LIMIT wanted.count FOR UPDATE SKIP LOCKED
     ) due
   ))
   RETURNING job, key, failures, test_clock`,
);

/**
 * Leases jobs that are due at `now` until `leaseEnd`, of each name at most as many as `limits` says: the
 * backlog of one does not delay another. Exactly the rows read are leased: a row that commits late is found
 * next time, and rows that another relay has locked are skipped. A job that is not finished when its lease
 * ends is due again, so a job that a queue loses comes back.
 */
export async function leaseDue(
  connection: Connection,
  limits: ReadonlyMap<string, number>,
  now: Date,
  leaseEnd: Date,
): Promise<LeasedJob[]> {
  const wanted = [...limits].map(([job, count]) => ({ job, count }));
  return run(connection, leaseJobs, { now, leaseEnd, limits: recordset(wanted) });
}

// Walks from job to job, because the index (scheduled_jobs_due) begins with the job: a million rows that are
// not due cost nothing.
const overdueJobs = sql<{ overdue: string; oldest_seconds: number | null }, { now: Date }>(
  'overdue_jobs',
  (p) => `WITH RECURSIVE jobs AS (
     SELECT min(job) AS job FROM scheduled_jobs
     UNION ALL
     SELECT (SELECT min(job) FROM scheduled_jobs WHERE job > jobs.job) FROM jobs WHERE jobs.job IS NOT NULL
   )
   SELECT count(*) AS overdue,
     extract(epoch FROM ${p.now}::timestamptz - min(run_at))::float8 AS oldest_seconds
   FROM (
     SELECT late.run_at FROM jobs, LATERAL (
       SELECT run_at FROM scheduled_jobs
       WHERE job = jobs.job AND visible_at <= ${p.now}::timestamptz - interval '5 seconds'
       ORDER BY visible_at LIMIT 1000
     ) late
     LIMIT 1000
   ) first_ones`,
);

/**
 * How many jobs have waited more than 5 s for a relay (counted up to 1000), and for how long: the sign that
 * no worker runs.
 */
export async function overdue(
  connection: Connection,
  now: Date,
): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await run(connection, overdueJobs, { now });
  return { count: Number(row?.overdue ?? 0), oldestSeconds: row?.oldest_seconds ?? 0 };
}
