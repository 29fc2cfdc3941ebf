import { runJob } from '../../src/background/run-job.ts';
import { leaseDue } from '../../src/domain/schedule/lease.ts';
import { STUCK_AFTER_FAILURES } from '../../src/domain/schedule/parking.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Handler } from '../../src/platform/job.ts';
import type { Harness } from './harness.ts';

/** Longer than the longest delay between two tries of a job that fails. */
const TRY_SECONDS = 600;

/**
 * Runs a job as the relay and its worker do, whenever it is due, until it has failed so often that it is
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
  const limits = new Map([...handlers.keys()].map((name) => [name, 100]));
  const due = await leaseDue(ctx.db, limits, ctx.now(), addSeconds(ctx.now(), 30));
  for (const name of handlers.keys()) {
    const keys = due.filter(({ job }) => job === name).map(({ key }) => key);
    if (keys.length > 0) await runJob(ctx, handlers, name, { keys }).catch(() => undefined);
  }
  return due.map(({ key }) => key).sort();
}
