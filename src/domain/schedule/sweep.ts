import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { IS_WAITING, JOB_NAMES } from './rows.ts';

/** When the first unleased job of a name is due, or was. */
export interface Timer {
  readonly job: string;
  readonly at: Date;
}

const timers = sql<Timer, { until: Date }>(
  'first_timers_of_jobs',
  (p) => `
   WITH ${JOB_NAMES}
   SELECT jobs.job, first.visible_at AS at FROM jobs, LATERAL (
     SELECT visible_at FROM scheduled_jobs d WHERE d.job = jobs.job AND d.visible_at <= ${p.until}
     ORDER BY visible_at LIMIT 1) first`,
);

/** The first timer of each job name, of those that end by `until`. */
export async function findTimers(connection: Connection, until: Date): Promise<Timer[]> {
  return run(connection, timers, { until });
}

/** While the previous release runs beside this one, it gives jobs that wait their turn within this time. */
const TURN_SECONDS = 60;

// Index: scheduled_jobs_waiting, which is empty once no worker of the previous release runs.
const release = sql<never, { now: Date }>(
  'release_waiting_jobs',
  (p) => `
   UPDATE scheduled_jobs d SET visible_at = d.turn_since, turn_since = NULL
   WHERE ${IS_WAITING('d')} AND turn_since < ${p.now}::timestamptz - interval '${TURN_SECONDS} seconds'`,
);

/** Makes jobs due that a worker of the previous release has let wait for their merchant's turn. */
export async function releaseWaiting(connection: Connection, now: Date): Promise<void> {
  await run(connection, release, { now });
}
