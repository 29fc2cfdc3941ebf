import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { IS_PARKED } from '../schedule/parking.ts';
import { IS_WAITING } from '../schedule/rows.ts';
import { lockAll } from '../payments/lifecycle/store.ts';
import { MATCHES, type Which } from './stuck.ts';

/** Narrows to jobs; null: all. */
export interface Requeued extends Which {
  /** The payment's own jobs, and those of its refunds, events, receipts and test clock. */
  readonly payment: string | null;
}

/** A job that was made due, and what it was before. */
export interface RequeuedJob {
  readonly job: string;
  readonly key: string;
  readonly was: 'parked' | 'waiting after a failure' | 'leased' | 'waiting for a turn';
}

const clocksOfHidden = sql<{ id: string }, Requeued & { now: Date }>(
  'test_clocks_of_hidden_jobs',
  (p) => `
   SELECT DISTINCT test_clock AS id FROM scheduled_jobs
   WHERE ${MATCHES(p)} AND visible_at > ${p.now} AND test_clock IS NOT NULL
     AND (${p.payment}::text IS NULL OR test_clock = ${p.payment})`,
);

// Due as they were, by the clock that they belong to; the version tells a run that is under way that there is
// more to do. Jobs that are not hidden beyond their own time stay as they are. Locked in one order, as
// everywhere; a row that another transaction has locked is being rescheduled or finished.
const requeueJobs = sql<RequeuedJob, Requeued & { now: Date; clocks: readonly string[] }>(
  'requeue_jobs',
  (p) => `
   WITH hidden AS MATERIALIZED (
     SELECT w.job, w.key, greatest(
         w.run_at - make_interval(secs => coalesce(clock.clock_offset_ms, 0)::float8 / 1000),
         clock.clock_frozen_until) AS due_at,
       CASE WHEN ${IS_PARKED} THEN 'parked' WHEN ${IS_WAITING('w')} THEN 'waiting for a turn'
         WHEN w.failures > 0 THEN 'waiting after a failure' ELSE 'leased' END AS was
     FROM scheduled_jobs w LEFT JOIN payments clock ON clock.id = w.test_clock
     WHERE ${MATCHES(p)} AND w.visible_at > ${p.now}
       AND (w.test_clock IS NULL OR w.test_clock = ANY (${p.clocks})) AND (${p.payment}::text IS NULL
       OR w.test_clock = ${p.payment} OR w.key = ANY (ARRAY(
         SELECT ${p.payment}
         UNION ALL SELECT r.id FROM refunds r WHERE r.payment_id = ${p.payment}
         UNION ALL SELECT e.id FROM events e WHERE e.payment_id = ${p.payment}
         UNION ALL SELECT d.endpoint_id FROM deliveries d
           WHERE d.payment_id = ${p.payment} AND d.status = 'pending')))
     ORDER BY w.job, w.key FOR UPDATE OF w SKIP LOCKED
   )
   UPDATE scheduled_jobs w SET failures = 0, last_error = NULL, parked_at = NULL, turn_since = NULL,
     version = w.version + 1, visible_at = hidden.due_at
   FROM hidden
   WHERE w.job = hidden.job AND w.key = hidden.key
     AND (hidden.due_at <= ${p.now} OR hidden.was = 'parked')
   RETURNING w.job, w.key, hidden.was`,
);

/**
 * Makes jobs due that are hidden from workers beyond their own time. Returns which, by job and key. Their
 * test clocks are locked first, as in `releaseParked`.
 */
export async function requeue({ db, systemNow }: Context, which: Requeued): Promise<RequeuedJob[]> {
  const hidden = { ...which, now: systemNow() };
  const jobs = await db.transaction(async (tx) => {
    const clocks = (await run(tx, clocksOfHidden, hidden)).map(({ id }) => id);
    await lockAll(tx, clocks);
    return run(tx, requeueJobs, { ...hidden, clocks });
  });
  return jobs.toSorted((a, b) => (`${a.job} ${a.key}` < `${b.job} ${b.key}` ? -1 : 1));
}
