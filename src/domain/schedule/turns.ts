import type { JobMerchant, LeasedJob } from '../../platform/handover.ts';
import { recordset, run, sql, type Connection } from '../../platform/postgres/db.ts';
import { IS_WAITING } from './rows.ts';

/**
 * Merchants whose waiting jobs are looked at together. More of them wait until some of these have had a turn.
 */
const MAX_WAITING_MERCHANTS = 1_000;

interface WaitParams {
  /** A recordset of job, key and merchant_id. */
  readonly rows: string;
  readonly leaseEnd: Date;
  readonly now: Date;
}

// A row that was rescheduled, finished or leased again since has another time, and stays as it is; so does
// one that is locked, because its writer reschedules or finishes it. As in lease.ts, the rows are found once,
// as an array of ctids, each by its key: the sum of a time and nothing keeps the plan from the index
// scheduled_jobs_due, in which a whole pass of the relay has one time, so that each row would read them all.
const wait = sql<never, WaitParams>(
  'await_turn',
  (p) => `
   UPDATE scheduled_jobs d SET visible_at = 'infinity', turn_of = w.merchant_id, turn_since = ${p.now}
   FROM json_to_recordset(${p.rows}::json) AS w (job text, key text, merchant_id text)
   WHERE w.job = d.job AND w.key = d.key AND d.ctid = ANY (ARRAY(
     SELECT held.ctid
     FROM json_to_recordset(${p.rows}::json) AS r (job text, key text), LATERAL (
       SELECT ctid FROM scheduled_jobs h
       WHERE h.job = r.job AND h.key = r.key AND h.visible_at + interval '0' = ${p.leaseEnd}
       LIMIT 1 FOR UPDATE SKIP LOCKED
     ) held
   ))`,
);

/** A job that has no slot: its merchant holds its share of them. */
export type TurnlessJob = Pick<LeasedJob, 'job' | 'key'> & { readonly merchant: JobMerchant };

/**
 * Ends the leases, until `leaseEnd`, of jobs that get no slot now: they wait for their merchant's turn, in
 * the order in which they came. A job that waits costs nothing until `leaseTurns` takes it.
 */
export async function awaitTurn(
  connection: Connection,
  jobs: readonly TurnlessJob[],
  leaseEnd: Date,
  now: Date,
): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ job, key, merchant }) => ({ job, key, merchant_id: merchant.id }));
  await run(connection, wait, { rows: recordset(rows), leaseEnd, now });
}

export interface WaitingMerchant {
  readonly job: string;
  readonly merchant: JobMerchant;
}

// Walks from merchant to merchant by the index scheduled_jobs_waiting: what it costs depends on how many
// merchants wait, not on how many jobs.
const waitingMerchants = sql<{ job: string; merchant_id: string; weight: number }>(
  'waiting_merchants',
  `WITH RECURSIVE waiting AS (
     (SELECT d.job, d.turn_of, d.turn_since FROM scheduled_jobs d WHERE ${IS_WAITING('d')}
      ORDER BY d.job, d.turn_of, d.turn_since LIMIT 1)
     UNION ALL
     SELECT next.* FROM waiting, LATERAL (
       SELECT d.job, d.turn_of, d.turn_since FROM scheduled_jobs d
       WHERE ${IS_WAITING('d')} AND (d.job, d.turn_of) > (waiting.job, waiting.turn_of)
       ORDER BY d.job, d.turn_of, d.turn_since LIMIT 1
     ) next
   )
   SELECT w.job, m.id AS merchant_id, m.weight
   FROM waiting w JOIN merchants m ON m.id = w.turn_of
   ORDER BY w.turn_since LIMIT ${MAX_WAITING_MERCHANTS}`,
);

/** The merchants with jobs that wait for a turn, those that have waited longest first. */
export async function findWaiting(connection: Connection): Promise<WaitingMerchant[]> {
  const rows = await run(connection, waitingMerchants, []);
  return rows.map(({ job, merchant_id: id, weight }) => ({ job, merchant: { id, weight } }));
}

/** How many of a merchant's waiting jobs get a slot. */
export interface Turn extends WaitingMerchant {
  readonly count: number;
}

// Index: scheduled_jobs_waiting. As in lease.ts, the rows are found once, as an array of ctids.
const leaseWaiting = sql<
  Omit<LeasedJob, 'merchant' | 'run_at'> & { merchant_id: string },
  { turns: string; leaseEnd: Date }
>(
  'lease_turns',
  (p) => `UPDATE scheduled_jobs SET visible_at = ${p.leaseEnd}, turn_since = NULL
   WHERE ctid = ANY (ARRAY(
     SELECT next.ctid
     FROM json_to_recordset(${p.turns}::json) AS turn (job text, merchant_id text, count int), LATERAL (
       SELECT d.ctid FROM scheduled_jobs d
       WHERE d.job = turn.job AND d.turn_of = turn.merchant_id AND ${IS_WAITING('d')}
       ORDER BY d.turn_since LIMIT turn.count FOR UPDATE SKIP LOCKED
     ) next
   ))
   RETURNING job, key, failures, test_clock, turn_of AS merchant_id`,
);

/**
 * Leases jobs whose merchant's turn has come until `leaseEnd`: of each merchant those that waited longest.
 */
export async function leaseTurns(
  connection: Connection,
  turns: readonly Turn[],
  leaseEnd: Date,
): Promise<LeasedJob[]> {
  if (turns.length === 0) return [];
  const merchants = new Map(turns.map(({ merchant }) => [merchant.id, merchant]));
  const rows = turns.map(({ job, merchant, count }) => ({ job, merchant_id: merchant.id, count }));
  const leased = await run(connection, leaseWaiting, { turns: recordset(rows), leaseEnd });
  return leased.map(({ merchant_id, ...job }) => ({ ...job, merchant: merchants.get(merchant_id) ?? null }));
}
