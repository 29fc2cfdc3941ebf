import { contextOfTestClock } from '../domain/payments/lifecycle/test-clock.ts';
import { recordFailure } from '../domain/schedule/store.ts';
import type { Context } from '../platform/context.ts';
import type { Handler, Job } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import { isUnavailable } from '../platform/postgres/db.ts';
import type { JobData } from './queues.ts';
import { runHandler } from './recurring.ts';

/**
 * No handler has the job's name, or its data is not the service's: an operator sees it among the failed jobs.
 */
export class UnknownJobError extends Error {
  override readonly name = 'UnknownJobError';
}

/**
 * Runs one job of a queue: finds its handler and passes it the keys. Where a batch fails, each of its keys
 * runs alone, so that one that cannot be done fails no other. What the handler throws is recorded with the
 * scheduled jobs, which run again later, and is thrown again, so that the queue shows the job as failed.
 */
export async function runJob(
  ctx: Context,
  handlers: ReadonlyMap<string, Handler>,
  name: string,
  data: JobData,
): Promise<void> {
  const handler = handlers.get(name);
  if (handler === undefined) throw new UnknownJobError(`no handler for the job ${name}`);
  const keys = keysOf(data);
  try {
    const own = data.testClock === undefined ? ctx : await contextOfTestClock(ctx, data.testClock);
    // Null: a request has frozen the test clock, and runs its jobs itself.
    if (own !== null) await runHandler({ ...own, log: ctx.log.child({ job: name }) }, handler, keys);
  } catch (error) {
    if (keys.length > 1 && !isUnavailable(error)) return runAlone(ctx, handlers, name, data);
    await reportFailure(ctx, handler.job, keys, error);
    throw error;
  }
}

/** Runs each key by itself; throws the first error once all have run. */
async function runAlone(
  ctx: Context,
  handlers: ReadonlyMap<string, Handler>,
  name: string,
  data: JobData,
): Promise<void> {
  const errors: unknown[] = [];
  for (const key of data.keys)
    await runJob(ctx, handlers, name, { ...data, keys: [key] }).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function reportFailure(ctx: Context, job: Job, keys: readonly string[], error: unknown): Promise<void> {
  ctx.log.error('job failed; it runs again later', {
    job: job.name,
    keys,
    error: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  // If this fails too, the leases of the scheduled jobs end by themselves.
  const parked = await recordFailure(ctx.db, job, keys, messageOf(error), ctx.now()).catch(() => []);
  if (parked.length > 0)
    ctx.log.error('job parked: it failed too often, and waits for an operator who releases it', {
      job: job.name,
      keys: parked,
    });
}

function keysOf(data: unknown): readonly string[] {
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : undefined;
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string'))
    throw new UnknownJobError('the data of a job must be { keys: string[] }');
  return keys;
}
