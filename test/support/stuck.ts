import { unitsOf } from '../../src/background/runs/job-data.ts';
import { runJob } from '../../src/background/runs/run-job.ts';
import { STUCK_AFTER_FAILURES } from '../../src/domain/schedule/parking.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Handler } from '../../src/domain/schedule/job.ts';
import type { Harness } from './harness.ts';
import { leaseAll } from './lease.ts';

/** Longer than the longest delay between two tries of a job that fails. */
const TRY_SECONDS = 600;

/**
 * Runs a job as a worker does, whenever it is due, until it has failed so often that it is
 * stuck. `ctx` logs the errors, which are on purpose.
 */
export async function failUntilStuck(harness: Harness, ctx: Context, handler: Handler): Promise<void> {
  const handlers = new Map([[handler.job.name, handler]]);
  for (let failures = 0; failures < STUCK_AFTER_FAILURES; failures += 1) {
    await leaseAndRun(ctx, handlers);
    harness.advance(TRY_SECONDS);
  }
}

/** Leases what is due of these jobs, in batches, and runs it; returns the keys that were leased. */
export async function leaseAndRun(ctx: Context, handlers: ReadonlyMap<string, Handler>): Promise<string[]> {
  const due = await leaseAll(ctx.db, ctx.now(), addSeconds(ctx.now(), 30), new Set(handlers.keys()));
  for (const [name, handler] of handlers)
    for (const unit of unitsOf(
      handler.job,
      due.filter(({ job }) => job === name),
    ))
      await runJob(ctx, handler, unit).catch(() => undefined);
  return due.map(({ key }) => key).sort();
}
