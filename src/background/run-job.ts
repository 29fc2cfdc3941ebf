import { contextOfTestClock } from '../domain/payments/lifecycle/test-clock.ts';
import { recordFailure } from '../domain/schedule/store.ts';
import type { Context } from '../platform/context.ts';
import type { Handler } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import type { JobData } from './queues.ts';
import { runHandler } from './recurring.ts';

/**
 * No handler has the job's name, or its data is not the service's: an operator sees it among the failed jobs.
 */
export class UnknownJobError extends Error {
  override readonly name = 'UnknownJobError';
}

/**
 * Runs one job of a queue: finds its handler and passes it the keys. What the handler throws is recorded with
 * the scheduled jobs, which run again later, and is thrown again, so that the queue shows the job as failed.
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
    ctx.log.error('job failed; it runs again later', {
      job: name,
      keys,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
    // If this fails too, the leases of the scheduled jobs end by themselves.
    await recordFailure(ctx.db, handler.job, keys, messageOf(error), ctx.now()).catch(() => undefined);
    throw error;
  }
}

function keysOf(data: unknown): readonly string[] {
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : undefined;
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string'))
    throw new UnknownJobError('the data of a job must be { keys: string[] }');
  return keys;
}
