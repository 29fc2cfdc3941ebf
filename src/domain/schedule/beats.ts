import { run, sql, type Connection } from '../../platform/postgres/db.ts';

/**
 * How long a job may take before it is due again although its worker lives: the bound within which a job that
 * a queue lost, or whose run hangs, comes back.
 */
export const LEASE_SECONDS = 30;
/** What is leased is due again within this time, the clocks of processes considered. */
export const LEASED_WITHIN_SECONDS = LEASE_SECONDS + 5;

/** A worker as the others see it. */
export interface WorkerBeat {
  readonly id: string;
  /** Grows with each beat. */
  readonly beats: string;
  /** False: its clock is wrong, so it takes no work. */
  readonly may_lead: boolean;
}

const beat = sql<WorkerBeat, { id: string; mayLead: boolean }>(
  'beat_worker',
  (p) => `
   WITH own AS (
     INSERT INTO worker_beats AS w (id, beats, may_lead) VALUES (${p.id}, 1, ${p.mayLead})
     ON CONFLICT (id) DO UPDATE SET beats = w.beats + 1, may_lead = excluded.may_lead
   )
   SELECT id, beats, may_lead FROM worker_beats WHERE id <> ${p.id}`,
);

/** Records that a worker lives, and returns the others. */
export async function beatWorker(
  connection: Connection,
  id: string,
  mayLead: boolean,
): Promise<WorkerBeat[]> {
  return run(connection, beat, { id, mayLead });
}

const forget = sql<never, { id: string }>(
  'forget_worker',
  (p) => `DELETE FROM worker_beats WHERE id = ${p.id}`,
);

/** Forgets a worker that has ended, or whose leases were taken over. */
export async function forgetWorker(connection: Connection, id: string): Promise<void> {
  await run(connection, forget, { id });
}

/** A job that is hidden for longer is not leased but has a time; leases of endpoints may be longer. */
const LONGEST_LEASE_SECONDS = 60;

interface TakeOverParams {
  readonly worker: string;
  readonly jobs: readonly string[];
  readonly now: Date;
}

// Index: scheduled_jobs_due. Whatever schedules a job clears leased_by. What is locked is being rescheduled.
const takeOver = sql<{ job: string; key: string }, TakeOverParams>(
  'take_over_jobs',
  (p) => `
   UPDATE scheduled_jobs SET visible_at = ${p.now}, leased_by = NULL
   WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM scheduled_jobs
     WHERE job = ANY (${p.jobs}) AND visible_at > ${p.now}
       AND visible_at <= ${p.now}::timestamptz + interval '${LONGEST_LEASE_SECONDS} seconds'
       AND leased_by = ${p.worker}
     FOR UPDATE SKIP LOCKED
   ))
   RETURNING job, key`,
);

/** Makes due what a worker that is gone has leased of these jobs; returns job and key of each. */
export async function takeOverJobs(
  connection: Connection,
  params: TakeOverParams,
): Promise<{ job: string; key: string }[]> {
  return run(connection, takeOver, params);
}
