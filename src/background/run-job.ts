import { recordFailure } from '../domain/schedule/store.ts';
import { contextOfTestClock } from '../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../platform/context.ts';
import type { Handler } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import type { JobData } from './queues.ts';

/** A job that no handler knows, or whose data is not ours: an operator sees it among the failed jobs. */
export class UnknownJobError extends Error {
  override readonly name = 'UnknownJobError';
}

/**
 * Runs one job: finds its handler and does the due work of its keys. What the handler throws is noted with the due work, which comes
 * back later by itself, and is thrown on, so that the queue shows the job as failed.
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
    // Whoever holds the world's clock does this work himself.
    if (own !== null) await handler.handle({ ...own, log: ctx.log.child({ job: name }) }, keys);
  } catch (error) {
    ctx.log.error('job failed and will be tried again', {
      job: name,
      keys,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
    // If this fails too, the lease of the due work ends by itself.
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
