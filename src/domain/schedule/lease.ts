import { run, sql, type Connection } from '../../platform/postgres/db.ts';

/** A scheduled job that nobody else starts until its lease ends. */
export interface LeasedJob {
  readonly job: string;
  readonly key: string;
  readonly failures: number;
  readonly test_clock: string | null;
  /** Null: it says nothing of how late the run is. */
  readonly run_at: Date | null;
  /** Owning merchant; null: nobody's. */
  readonly merchant_id: string | null;
}

/** What a run asks for. */
export interface LeaseRequest {
  readonly job: string;
  /** The most jobs that are leased. */
  readonly count: number;
  readonly now: Date;
  readonly leaseEnd: Date;
  /** The worker; null: its leases only end by time. */
  readonly worker?: string | null;
  /** How the slots of the worker are shared among merchants; absent: jobs take none. */
  readonly slots?: SlotUse;
  /** Where the walk over merchants begins: after this one. */
  readonly after?: string;
}

/** Who uses the slots of a queue in a worker; what is nobody's counts as one merchant, ''. */
export interface SlotUse {
  readonly free: number;
  /** A merchant gets a slot while it holds fewer than the free ones, times this and its weight. */
  readonly factor: number;
  readonly held: readonly { readonly merchant_id: string; readonly held: number }[];
}

export interface Leased {
  readonly jobs: readonly LeasedJob[];
  /** Whether more was due. */
  readonly isMoreDue: boolean;
  /** The last merchant of the walk; empty: it has come to the end, or there was none. */
  readonly after: string;
}

/** The window of due jobs, by their time, in multiples of the jobs that are leased. */
const WINDOW = 4;
/** How many merchants beyond the window get their share in one lease; the next lease continues after them. */
const MERCHANTS = 100;

interface LeaseParams {
  readonly job: string;
  readonly count: number;
  readonly now: Date;
  readonly leaseEnd: Date;
  readonly worker: string | null;
  /** SlotUse, as JSON. */
  readonly slots: string;
  readonly after: string;
}

interface LeasedRow extends Omit<LeasedJob, 'key'> {
  /** Null: nothing was leased, and the row says only the rest. */
  readonly key: string | null;
  readonly candidates: number;
  readonly last_owner: string | null;
}

// Where a row names no merchant, its key may: rows of earlier releases, and those that reconciling restored.
// Candidates are the jobs that have been due longest (index scheduled_jobs_due). Where they fill the window,
// more may be due behind them, perhaps all of one merchant: then the first jobs of other merchants are
// candidates too, by a walk from merchant to merchant (index scheduled_jobs_of_merchant), whose cost depends
// on how many merchants it visits, and not on how many jobs they have. Among the candidates merchants take
// turns: next is always the job of the merchant that holds the fewest slots for its weight, until it holds
// its share. All are locked, and those that another run has locked are skipped, so that concurrent runs lease
// different jobs. The rows are found once, as an array of ctids: joined by their keys, a plan could read the
// whole table. Its commit does not wait for the disk: if Postgres crashes within the next half second, the
// jobs are due again, as after the end of their lease.
const leaseFairly = sql<LeasedRow, LeaseParams>('lease_due_jobs_fairly', (p) => {
  const candidate = (table: string) =>
    `${table}.ctid AS place, ${table}.key, ${table}.visible_at,
       coalesce(${table}.for_merchant,
         (SELECT p.merchant_id FROM payments p WHERE p.id = ${table}.test_clock),
         CASE WHEN starts_with(${table}.key, 'mer_') THEN split_part(${table}.key, ' ', 1) END
       ) AS merchant_id`;
  return `
   WITH RECURSIVE oldest AS MATERIALIZED (
     SELECT ${candidate('d')} FROM scheduled_jobs d
     WHERE d.job = ${p.job} AND d.visible_at <= ${p.now}
     ORDER BY d.visible_at LIMIT ${WINDOW} * ${p.count}::int FOR UPDATE SKIP LOCKED
   ),
   owner AS (
     (SELECT for_merchant FROM scheduled_jobs
      WHERE job = ${p.job} AND for_merchant > ${p.after}
        AND (SELECT count(*) FROM oldest) = ${WINDOW} * ${p.count}::int
      ORDER BY for_merchant LIMIT 1)
     UNION ALL
     SELECT next.for_merchant FROM owner, LATERAL (
       SELECT for_merchant FROM scheduled_jobs
       WHERE job = ${p.job} AND for_merchant > owner.for_merchant ORDER BY for_merchant LIMIT 1
     ) next
   ),
   walked AS MATERIALIZED (SELECT for_merchant FROM owner LIMIT ${MERCHANTS}
   ),
   first_of_each AS MATERIALIZED (
     SELECT due.* FROM walked, LATERAL (
       SELECT ${candidate('d')} FROM scheduled_jobs d
       WHERE d.job = ${p.job} AND d.for_merchant = walked.for_merchant AND d.visible_at <= ${p.now}
       ORDER BY d.visible_at LIMIT (SELECT ceil(${p.count}::int::float8 / count(*)) FROM walked)
       FOR UPDATE SKIP LOCKED
     ) due
   ),
   candidate AS (SELECT * FROM oldest UNION SELECT * FROM first_of_each
   ),
   ordered AS (
     SELECT c.place, c.visible_at,
       (coalesce(h.held, 0) - 1 + row_number() OVER (PARTITION BY c.merchant_id ORDER BY c.visible_at)
         )::float8 / coalesce(m.weight, 1) AS load
     FROM candidate c
       LEFT JOIN json_to_recordset(${p.slots}::json -> 'held') AS h (merchant_id text, held int)
         ON h.merchant_id = coalesce(c.merchant_id, '')
       LEFT JOIN merchants m ON m.id = c.merchant_id
   ),
   numbered AS (SELECT *, row_number() OVER (ORDER BY load, visible_at) AS number FROM ordered
   ),
   leased AS (
     UPDATE scheduled_jobs SET visible_at = ${p.leaseEnd}, leased_by = ${p.worker}
     WHERE ctid = ANY (ARRAY(
       SELECT place FROM numbered
       WHERE number <= ${p.count}::int
         AND load < ((${p.slots}::json ->> 'free')::int - number + 1)
           * (${p.slots}::json ->> 'factor')::float8
     ))
     RETURNING job, key, failures, test_clock, run_at
   )
   SELECT leased.*, candidate.merchant_id, (SELECT count(*)::int FROM candidate) AS candidates,
     (SELECT max(for_merchant) FROM walked HAVING count(*) = ${MERCHANTS}) AS last_owner
   FROM (SELECT set_config('synchronous_commit', 'off', true)) one
     LEFT JOIN leased ON true LEFT JOIN candidate USING (key)`;
});

/**
 * Leases jobs of a name that are due at `now` until `leaseEnd`, shared among merchants: one with very much
 * due delays no other. A row that commits late is found next time. A job that is not finished when its lease
 * ends is due again, so a job that a queue or a process loses comes back.
 */
export async function leaseDue(
  connection: Connection,
  { job, count, now, leaseEnd, worker = null, slots = NO_SLOTS, after = '' }: LeaseRequest,
): Promise<Leased> {
  const params = { job, count, now, leaseEnd, worker, after, slots: JSON.stringify(slots) };
  const rows = await run(connection, leaseFairly, params);
  const jobs = rows.filter((row): row is LeasedRow & LeasedJob => row.key !== null);
  const [first] = rows;
  return {
    jobs,
    isMoreDue: (first?.candidates ?? 0) > jobs.length,
    after: first?.last_owner ?? '',
  };
}

/** Merchants take turns, and no share bounds them. */
const NO_SLOTS: SlotUse = { free: 1_000_000, factor: 1_000_000, held: [] };
