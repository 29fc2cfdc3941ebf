import { createHandlers } from '../../src/background/workers.ts';
import type { Adapters } from '../../src/domain/adapters.ts';
import { databaseCheck } from '../../src/domain/ops/health/database.ts';
import { Monitor, type HealthReport, type HealthSource } from '../../src/domain/ops/health/monitor.ts';
import { newProcess } from '../../src/domain/ops/health/processes.ts';
import { queuesCheck, type QueueOfJob } from '../../src/domain/ops/health/queues.ts';
import { secretsKeyCheck } from '../../src/domain/ops/health/secrets-key.ts';
import type { Context } from '../../src/platform/context.ts';

/**
 * The health of a service in a test: it looks with every report, because the test's clock moves by jumps. A
 * process looks in the background (processes/setup/health.ts).
 */
export function lookingHealth(ctx: Context, adapters: Adapters): HealthSource {
  let monitor: Monitor | null = null;
  const open = () =>
    new Monitor(ctx.log, databaseCheck(ctx, newProcess('web', ctx.systemNow())), [
      queuesCheck(ctx, queueOfJobs(adapters)),
      secretsKeyCheck(ctx),
    ]);
  return { report: () => (monitor ??= open()).lookOnce() };
}

/** The queue of each job that has a handler. */
export function queueOfJobs(adapters: Adapters): QueueOfJob {
  return new Map([...createHandlers(adapters).values()].map(({ job }) => [job.name, job.queue]));
}

/** Of a service that is not asked. */
export const WELL: HealthSource = {
  report: (): HealthReport => ({ isReachable: true, faults: [] }),
};
