import { run, sql } from '../../../platform/postgres/db.ts';
import { listStuck } from '../stuck.ts';
import { readDrain } from '../drain.ts';
import { IS_PARKED } from '../../schedule/parking.ts';
import { findWaitingJobs } from '../../schedule/lateness.ts';
import { SERVED_MERCHANTS } from '../../schedule/rows.ts';
import { durationText, firstOf, type Section } from './section.ts';

/** As in /v1/status: a job that is late by more has no worker. */
const LATE_SECONDS = 60;
const LISTED = 8;

interface JobCount {
  readonly job: string;
  readonly late: number;
  readonly late_seconds: number;
  readonly retried: number;
  readonly parked: number;
  readonly waiting: number;
}

// Reads the whole table once: some 300 ms for a million jobs. Lateness counts from run_at, because a lease
// pushes visible_at ahead. The jobs of test clocks have times of their own.
const countJobs = sql<JobCount, { now: Date }>(
  'status_of_jobs',
  (p) => `
    SELECT job, count(*) FILTER (WHERE is_late)::int AS late,
      coalesce(max(seconds) FILTER (WHERE is_late), 0)::float8 AS late_seconds,
      count(*) FILTER (WHERE failures > 0 AND NOT is_parked)::int AS retried,
      count(*) FILTER (WHERE is_parked)::int AS parked,
      count(*) FILTER (WHERE is_waiting AND seconds > 1)::int AS waiting
    FROM (
      SELECT job, failures, ${IS_PARKED} AS is_parked, visible_at <= ${p.now} AND is_served AS is_waiting,
        extract(epoch FROM ${p.now}::timestamptz - run_at) AS seconds,
        test_clock IS NULL AND failures = 0 AND NOT is_served
          AND run_at < ${p.now}::timestamptz - interval '${LATE_SECONDS} seconds' AS is_late
      FROM (
        SELECT *, coalesce(for_merchant IN (${SERVED_MERCHANTS('all_jobs.job', p.now)}), false) AS is_served
        FROM scheduled_jobs all_jobs
      ) j
    ) counted
    GROUP BY job ORDER BY job`,
);

export const jobsSection: Section = {
  name: 'jobs',
  async read({ db, systemNow }) {
    const jobs = await run(db, countJobs, { now: systemNow() });
    const late = jobs.filter((one) => one.late > 0).toSorted((a, b) => b.late_seconds - a.late_seconds);
    const lines = late.map(
      (one) => `${one.job}: ${one.late} late, the oldest by ${durationText(one.late_seconds)}`,
    );
    const retried = jobs.filter((one) => one.retried > 0).map((one) => `${one.job} ${one.retried}`);
    return {
      facts: jobs,
      lines: [
        ...(lines.length === 0 ? [`none is late by more than ${LATE_SECONDS} s`] : firstOf(lines, LISTED)),
        ...(retried.length === 0 ? [] : [`retried after a failure: ${retried.join(', ')}`]),
      ],
      isBad: late.length > 0,
    };
  },
};

export const stuckSection: Section = {
  name: 'stuck',
  async read({ db }) {
    const stuck = await listStuck(db, { job: null, key: null });
    const lines = stuck.map(
      ({ job, key, failures, last_error }) =>
        `${job} ${key}: ${failures} failures: ${(last_error ?? '').slice(0, 60)}`,
    );
    return {
      facts: stuck,
      lines: lines.length === 0 ? ['no job is stuck'] : firstOf(lines, LISTED),
      isBad: stuck.length > 0,
    };
  },
};

/** By docs/operations.md a turn comes within a minute, unless hundreds of endpoints hang. */
const LONG_TURN_SECONDS = 600;

export const turnsSection: Section = {
  name: 'turns',
  async read({ db, systemNow }) {
    const turns = await findWaitingJobs(db, systemNow());
    const lines = turns.map(
      ({ merchant_id, jobs, seconds }) => `${merchant_id}: ${jobs} jobs wait, up to ${durationText(seconds)}`,
    );
    return {
      facts: turns,
      lines: lines.length === 0 ? ['no merchant waits'] : firstOf(lines, 3),
      isBad: turns.some(({ seconds }) => seconds > LONG_TURN_SECONDS),
    };
  },
};

export const drainSection: Section = {
  name: 'drain',
  async read({ db, systemNow }) {
    const drain = await readDrain(db);
    if (drain === null) return { facts: null, lines: ['off: workers take work'], isBad: false };
    const seconds = (systemNow().getTime() - drain.since.getTime()) / 1000;
    const reason = drain.reason === null ? '' : `: ${drain.reason}`;
    return {
      facts: drain,
      lines: [`ON for ${durationText(seconds)}, nothing moves${reason} (ops drain --off)`],
      isBad: true,
    };
  },
};
