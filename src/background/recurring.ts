import { ensureScheduled, schedule } from '../domain/schedule/store.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Handler, Handlers } from '../domain/schedule/job.ts';

/**
 * Schedules the jobs that run for as long as the service does. They are scheduled jobs like any other, rows
 * in Postgres, so nothing that happens to a queue can end them. Jobs that are scheduled keep their time.
 */
export async function scheduleRecurring(ctx: Context, handlers: Handlers): Promise<void> {
  const runAt = ctx.now();
  await ensureScheduled(
    ctx.db,
    [...handlers.values()].flatMap(({ job }) =>
      job.keys.map((key) => ({ job, key, runAt, testClock: null })),
    ),
  );
}

/** Runs a handler, and schedules the next run of a job that recurs. */
export async function runHandler(
  ctx: Context,
  { job, handle }: Handler,
  keys: readonly string[],
): Promise<void> {
  await handle(ctx, keys);
  if (job.everySeconds === null) return;
  const runAt = addSeconds(ctx.now(), job.everySeconds);
  await schedule(
    ctx.db,
    keys.map((key) => ({ job, key, runAt, testClock: ctx.testClock })),
  );
}
