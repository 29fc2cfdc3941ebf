import type { Job } from '../../src/domain/schedule/job.ts';
import { leaseDue, type LeasedJob } from '../../src/domain/schedule/lease.ts';
import { findTimers } from '../../src/domain/schedule/sweep.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Connection } from '../../src/platform/postgres/db.ts';

/** Leases a job that is due, as a run of it does. */
export async function leaseOf({ db, now }: Pick<Context, 'db' | 'now'>, job: Job): Promise<void> {
  await leaseAll(db, now(), addSeconds(now(), 10), new Set([job.name]));
}

/** Leases what is due at `now` of every name, or of these, at most 1,000 of each. */
export async function leaseAll(
  db: Connection,
  now: Date,
  leaseEnd: Date,
  wanted?: ReadonlySet<string>,
): Promise<LeasedJob[]> {
  const leased: LeasedJob[] = [];
  for (const { job } of await findTimers(db, now))
    if (wanted?.has(job) ?? true)
      leased.push(...(await leaseDue(db, { job, count: 1_000, now, leaseEnd })).jobs);
  return leased;
}
