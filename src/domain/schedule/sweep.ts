import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { IS_WAITING } from './rows.ts';

// Walks from job to job, because the index (scheduled_jobs_due) begins with the job.
const dueNames = sql<{ job: string }, { now: Date }>(
  'names_of_due_jobs',
  (p) => `
   WITH RECURSIVE names AS (
     SELECT min(job) AS job FROM scheduled_jobs
     UNION ALL
     SELECT (SELECT min(job) FROM scheduled_jobs WHERE job > names.job) FROM names WHERE names.job IS NOT NULL
   )
   SELECT job FROM names
   WHERE EXISTS (SELECT FROM scheduled_jobs d WHERE d.job = names.job AND d.visible_at <= ${p.now})`,
);

/** The names of jobs of which something is due at `now` that nobody has leased. */
export async function findDueNames(connection: Connection, now: Date): Promise<string[]> {
  return (await run(connection, dueNames, { now })).map(({ job }) => job);
}

/** The previous release gives a turn to what waits within this time, while it runs beside this one. */
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
