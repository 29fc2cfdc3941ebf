import { contextOfTestClock } from '../domain/payments/lifecycle/test-clock.ts';
import { recordFailure } from '../domain/schedule/store.ts';
import type { Context } from '../platform/context.ts';
import type { Handler, Job } from '../platform/job.ts';
import { messageOf } from '../platform/log.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { jobLatenessSeconds, jobSeconds, jobsTotal } from '../platform/metrics/measures.ts';
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
  const startedAt = performance.now();
  measureLateness(ctx, name, data);
  try {
    const own = data.testClock === undefined ? ctx : await contextOfTestClock(ctx, data.testClock);
    // Null: a request has frozen the test clock, and runs its jobs itself.
    if (own !== null) await runHandler({ ...own, log: ctx.log.child({ job: name }) }, handler, keys);
    const outcome = own === null ? 'left to the request that holds its test clock' : 'done';
    // The recurring jobs do nothing most of the time; what they do has lines of its own.
    const level = handler.job.keys.length > 0 ? 'debug' : 'info';
    measureRun(name, own === null ? 'left' : 'done', startedAt);
    ctx.log[level]('job', { ...fieldsOf(handler.job, data, startedAt), outcome });
  } catch (error) {
    if (keys.length > 1 && !isUnavailable(error)) return runAlone(ctx, handlers, name, data);
    measureRun(name, 'failed', startedAt);
    await reportFailure(ctx, handler.job, data, startedAt, error);
    throw error;
  }
}

function measureRun(job: string, outcome: 'done' | 'failed' | 'left', startedAt: number): void {
  jobsTotal.inc({ job, outcome });
  jobSeconds.observe({ job }, (performance.now() - startedAt) / 1000);
}

function measureLateness({ systemNow }: Context, job: string, { dueAt }: JobData): void {
  if (dueAt === undefined) return;
  jobLatenessSeconds.observe({ job }, Math.max(0, (systemNow().getTime() - Date.parse(dueAt)) / 1000));
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
    await runJob(ctx, handlers, name, { ...data, keys: [key], dueAt: undefined }).catch((error: unknown) =>
      errors.push(error),
    );
  if (errors.length > 0) throw errors[0];
}

async function reportFailure(
  ctx: Context,
  job: Job,
  data: JobData,
  startedAt: number,
  error: unknown,
): Promise<void> {
  ctx.log.error('job failed; it runs again later', {
    ...fieldsOf(job, data, startedAt),
    outcome: 'failed',
    ...faultOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  // If this fails too, the leases of the scheduled jobs end by themselves.
  const parked = await recordFailure(ctx.db, job, data.keys, messageOf(error), ctx.now()).catch(() => []);
  if (parked.length > 0)
    ctx.log.error('job parked: it failed too often, and waits for an operator who releases it', {
      job: job.name,
      keys: parked,
    });
}

/** The most keys that a line names; `count` is the number of all. */
const MAX_KEYS_LOGGED = 20;

const ID_FIELDS: Readonly<Record<string, string>> = {
  pay: 'payment_id',
  evt: 'event_id',
  ref: 'refund_id',
  dlv: 'delivery_id',
};

/** What the line of a run states: which job, whose, of what, which attempt, and how long it took. */
function fieldsOf(job: Job, data: JobData, startedAt: number): object {
  const { keys, failures = 0, merchant } = data;
  const [key = ''] = keys;
  const field = keys.length === 1 ? ID_FIELDS[key.slice(0, key.indexOf('_'))] : undefined;
  const endpoint = job.keyNames === 'endpoint' ? { endpoint_id: key } : {};
  return {
    job: job.name,
    queue: job.queue,
    ...(merchant === undefined ? {} : { merchant_id: merchant.id }),
    ...(field === undefined ? endpoint : { [field]: key }),
    keys: keys.slice(0, MAX_KEYS_LOGGED),
    count: keys.length,
    attempt: failures + 1,
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
  };
}

function keysOf(data: unknown): readonly string[] {
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : undefined;
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string'))
    throw new UnknownJobError('the data of a job must be { keys: string[] }');
  return keys;
}
