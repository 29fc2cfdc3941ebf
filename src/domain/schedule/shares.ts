import type { LeasedJob } from '../../platform/handover.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';

interface ShareParams {
  readonly job: string;
  readonly count: number;
  readonly now: Date;
  readonly leaseEnd: Date;
}

// Index: scheduled_jobs_of_merchant. The walk goes from merchant to merchant, so what it costs depends on how
// many merchants have such jobs, due or not, and not on how many jobs. In no order: where there are more
// merchants than jobs to lease, each has a chance. As in lease.ts, the rows are found once, as an array of
// ctids.
const leaseShares = sql<Omit<LeasedJob, 'merchant'> & { run_at: Date }, ShareParams>(
  'lease_shares',
  (p) => `
   WITH RECURSIVE owner AS (
     (SELECT for_merchant FROM scheduled_jobs
      WHERE job = ${p.job} AND for_merchant IS NOT NULL ORDER BY for_merchant LIMIT 1)
     UNION ALL
     SELECT next.for_merchant FROM owner, LATERAL (
       SELECT for_merchant FROM scheduled_jobs
       WHERE job = ${p.job} AND for_merchant > owner.for_merchant ORDER BY for_merchant LIMIT 1
     ) next
   ), due_owner AS MATERIALIZED (
     SELECT for_merchant FROM owner WHERE EXISTS (
       SELECT FROM scheduled_jobs d
       WHERE d.job = ${p.job} AND d.for_merchant = owner.for_merchant AND d.visible_at <= ${p.now})
     ORDER BY random()
   )
   UPDATE scheduled_jobs SET visible_at = ${p.leaseEnd}, turn_since = NULL
   WHERE ctid = ANY (ARRAY(
     SELECT due.ctid FROM due_owner, LATERAL (
       SELECT ctid FROM scheduled_jobs d
       WHERE d.job = ${p.job} AND d.for_merchant = due_owner.for_merchant AND d.visible_at <= ${p.now}
       ORDER BY d.visible_at
       LIMIT (SELECT greatest(1, ${p.count}::bigint / count(*)) FROM due_owner)
       FOR UPDATE SKIP LOCKED
     ) due
     LIMIT ${p.count}::bigint
   ))
   RETURNING job, key, failures, test_clock, run_at`,
);

/**
 * Leases at most `count` jobs of a name that are due at `now`, until `leaseEnd`: of each merchant that has
 * some the same number, those first that have been due longest. Jobs that name no merchant are left out.
 */
export async function leaseDueOfEach(
  connection: Connection,
  job: string,
  count: number,
  now: Date,
  leaseEnd: Date,
): Promise<LeasedJob[]> {
  const rows = await run(connection, leaseShares, { job, count, now, leaseEnd });
  return rows.map((row) => ({ ...row, merchant: null }));
}
