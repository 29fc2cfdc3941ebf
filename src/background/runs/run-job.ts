import { contextOfTestClock } from '../../domain/payments/lifecycle/test-clock.ts';
import type { LeasedJob } from '../../domain/schedule/lease.ts';
import { recordFailure, schedule } from '../../domain/schedule/store.ts';
import { deliverWebhook } from '../../domain/webhooks/endpoints/jobs.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Handler, Job } from '../../domain/schedule/job.ts';
import { messageOf } from '../../platform/log.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { jobLatenessSeconds, jobSeconds, jobsTotal } from '../../platform/metrics/measures.ts';
import { isUnavailable } from '../../platform/postgres/db.ts';

/**
 * Runs jobs that were leased: one, or several of a batch. Where a batch fails, each of its jobs runs alone,
 * so that one that cannot be done fails no other. What the handler throws is recorded with the scheduled
 * jobs, which run again later, and is thrown again, so that the queue shows its job as failed.
 */
export async function runJob(ctx: Context, handler: Handler, leased: readonly LeasedJob[]): Promise<void> {
  const { job } = handler;
  const [first] = leased;
  if (first === undefined) return;
  const keys = leased.map(({ key }) => key);
  const startedAt = performance.now();
  measureLateness(ctx, leased);
  try {
    const own = first.test_clock === null ? ctx : await contextOfTestClock(ctx, first.test_clock);
    // Null: a request has frozen the test clock, and runs its jobs itself.
    if (own !== null) await runHandler({ ...own, log: ctx.log.child({ job: job.name }) }, handler, keys);
    const outcome = own === null ? 'left to the request that holds its test clock' : 'done';
    // The recurring jobs do nothing most of the time; what they do has lines of its own.
    const level = job.keys.length > 0 ? 'debug' : 'info';
    measureRun(job.name, own === null ? 'left' : 'done', startedAt);
    ctx.log[level]('job', { ...fieldsOf(job, leased, startedAt), outcome });
  } catch (error) {
    if (leased.length > 1 && !isUnavailable(error)) return runAlone(ctx, handler, leased);
    measureRun(job.name, 'failed', startedAt);
    await reportFailure(ctx, job, leased, startedAt, error);
    throw error;
  }
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

function measureRun(job: string, outcome: 'done' | 'failed' | 'left', startedAt: number): void {
  jobsTotal.inc({ job, outcome });
  jobSeconds.observe({ job }, (performance.now() - startedAt) / 1000);
}

/** Measures how late the first of them is, retries and jobs of test clocks excluded. */
function measureLateness({ systemNow }: Context, leased: readonly LeasedJob[]): void {
  const times = leased.flatMap(({ run_at, failures, test_clock }) =>
    run_at === null || failures > 0 || test_clock !== null ? [] : [run_at.getTime()],
  );
  const [first] = leased;
  if (first === undefined || times.length === 0) return;
  jobLatenessSeconds.observe(
    { job: first.job },
    Math.max(0, (systemNow().getTime() - Math.min(...times)) / 1000),
  );
}

/** Runs each job by itself; throws the first error once all have run. */
async function runAlone(ctx: Context, handler: Handler, leased: readonly LeasedJob[]): Promise<void> {
  const errors: unknown[] = [];
  for (const one of leased)
    await runJob(ctx, handler, [{ ...one, run_at: null }]).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function reportFailure(
  ctx: Context,
  job: Job,
  leased: readonly LeasedJob[],
  startedAt: number,
  error: unknown,
): Promise<void> {
  ctx.log.error('job failed; it runs again later', {
    ...fieldsOf(job, leased, startedAt),
    outcome: 'failed',
    ...faultOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  const keys = leased.map(({ key }) => key);
  // If this fails too, the leases of the scheduled jobs end by themselves.
  const parked = await recordFailure(ctx.db, job, keys, messageOf(error), ctx.now()).catch(() => []);
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
function fieldsOf(job: Job, leased: readonly LeasedJob[], startedAt: number): object {
  const [{ key, failures, merchant_id } = NOTHING] = leased;
  const isOfOne = leased.every((one) => one.merchant_id === merchant_id);
  const field = leased.length === 1 ? ID_FIELDS[key.slice(0, key.indexOf('_'))] : undefined;
  const endpoint = job.name === deliverWebhook.name ? { endpoint_id: key } : {};
  return {
    job: job.name,
    queue: job.queue,
    ...(isOfOne && merchant_id !== null ? { merchant_id } : {}),
    ...(field === undefined ? endpoint : { [field]: key }),
    keys: leased.slice(0, MAX_KEYS_LOGGED).map((one) => one.key),
    count: leased.length,
    attempt: failures + 1,
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
  };
}

const NOTHING = { key: '', failures: 0, merchant_id: null };
