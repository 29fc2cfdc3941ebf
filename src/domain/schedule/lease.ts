import type { LeasedJob } from '../../platform/handover.ts';
import type { KeyNames } from '../../platform/job.ts';
import { recordset, run, sql, type Connection } from '../../platform/postgres/db.ts';

interface LeasedRow extends Omit<LeasedJob, 'merchant' | 'run_at'> {
  readonly run_at: Date;
  readonly merchant_id: string | null;
  readonly weight: number | null;
}

// Index: scheduled_jobs_due. The rows are found once, as an array of ctids: joined by their keys, a plan
// could read the whole table, or search for due rows again for each row that it updates, and lease more than
// the limit. The merchant is that of the test clock's payment, or of the row that the key names.
const leaseJobs = sql<LeasedRow, { now: Date; leaseEnd: Date; limits: string }>(
  'lease_due_jobs',
  (p) => `
   WITH leased AS (
     UPDATE scheduled_jobs SET visible_at = ${p.leaseEnd}, turn_since = NULL
     WHERE ctid = ANY (ARRAY(
       SELECT due.ctid
       FROM json_to_recordset(${p.limits}::json) AS wanted (job text, count int), LATERAL (
         SELECT ctid FROM scheduled_jobs d
         WHERE d.job = wanted.job AND d.visible_at <= ${p.now}
         ORDER BY d.visible_at LIMIT wanted.count FOR UPDATE SKIP LOCKED
       ) due
     ))
     RETURNING job, key, failures, test_clock, run_at
   )
   SELECT leased.*, m.id AS merchant_id, m.weight
   FROM leased
     JOIN json_to_recordset(${p.limits}::json) AS wanted (job text, key_names text) USING (job)
     LEFT JOIN LATERAL (
       SELECT CASE
         WHEN leased.test_clock IS NOT NULL
           THEN (SELECT p.merchant_id FROM payments p WHERE p.id = leased.test_clock)
         WHEN key_names = 'endpoint'
           THEN (SELECT o.merchant_id FROM webhook_endpoints o WHERE o.id = leased.key)
         WHEN key_names = 'event' THEN (SELECT e.merchant_id FROM events e WHERE e.id = leased.key)
       END AS merchant_id
     ) owner ON true
     LEFT JOIN merchants m ON m.id = owner.merchant_id`,
);

/**
 * Leases jobs that are due at `now` until `leaseEnd`, of each name at most as many as `limits` says: the
 * backlog of one does not delay another. Exactly the rows read are leased: a row that commits late is found
 * next time, and rows that another relay has locked are skipped. A job that is not finished when its lease
 * ends is due again, so a job that a queue loses comes back. `keyNames` says by which rows the merchants of
 * jobs are found.
 */
export async function leaseDue(
  connection: Connection,
  limits: ReadonlyMap<string, number>,
  now: Date,
  leaseEnd: Date,
  keyNames: ReadonlyMap<string, KeyNames> = new Map(),
): Promise<LeasedJob[]> {
  const wanted = [...limits].map(([job, count]) => ({ job, count, key_names: keyNames.get(job) ?? null }));
  return toLeased(await run(connection, leaseJobs, { now, leaseEnd, limits: recordset(wanted) }));
}

function toLeased(rows: readonly LeasedRow[]): LeasedJob[] {
  return rows.map(({ merchant_id, weight, ...job }) => ({
    ...job,
    merchant: merchant_id === null || weight === null ? null : { id: merchant_id, weight },
  }));
}
