import { createHandlers } from '../../background/workers.ts';
import type { Runs } from '../../background/runs.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import { clocksCheck } from '../../domain/ops/health/clocks.ts';
import { databaseCheck } from '../../domain/ops/health/database.ts';
import { feedHealth } from '../../domain/ops/health/feed.ts';
import { Monitor, type Check } from '../../domain/ops/health/monitor.ts';
import { endProcess, newProcess, type ProcessIdentity } from '../../domain/ops/health/processes.ts';
import { queuesCheck, type QueueOfJob } from '../../domain/ops/health/queues.ts';
import { redisCheck } from '../../domain/ops/health/redis.ts';
import { secretsKeyCheck } from '../../domain/ops/health/secrets-key.ts';
import type { HealthState } from '../../http/operators/health-metrics.ts';
import type { Context } from '../../platform/context.ts';
import { openRedis } from '../../platform/redis/open.ts';
import type { Lifetime } from './lifetime.ts';

/**
 * Looks at the service's health in the background until the process ends, and writes down that this process
 * is alive, for a worker with what it does. The list of checks is here: another check is one more line.
 */
export async function openHealth(
  ctx: Context,
  lifetime: Pick<Lifetime, 'own'>,
  kind: ProcessIdentity['kind'],
  runs: Runs | null = null,
): Promise<HealthState> {
  const own = newProcess(kind, ctx.systemNow());
  const { redisUrl } = ctx.config;
  const redis = redisUrl === null ? null : openRedis(redisUrl, 'health', ctx.log);
  const queues = queuesCheck(ctx, queueOfJob(ctx));
  const checks: readonly Check[] = [
    queues,
    secretsKeyCheck(ctx),
    clocksCheck(ctx),
    feedHealth(ctx),
    ...(redis === null ? [] : [redisCheck(redis)]),
  ];
  const database = databaseCheck(ctx, own, () => runs?.byQueue() ?? {});
  const monitor = new Monitor(ctx.log, database, checks);
  const stop = new AbortController();
  lifetime.own(async () => {
    stop.abort();
    redis?.disconnect();
    // Postgres may be why the process ends.
    await endProcess(ctx, own).catch(() => undefined);
  });
  await monitor.start(stop.signal);
  return { kind, health: monitor, queues: () => queues.state() };
}

function queueOfJob({ config }: Context): QueueOfJob {
  const adapters = createAdapters(config);
  const queueOf = new Map([...createHandlers(adapters).values()].map(({ job }) => [job.name, job.queue]));
  void closeAdapters(adapters);
  return queueOf;
}
