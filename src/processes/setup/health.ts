import { createHandlers } from '../../background/workers.ts';
import type { Runs } from '../../background/runs/runs.ts';
import { closeAdapters, createAdapters } from '../../domain/adapters.ts';
import { clocksCheck } from '../../domain/ops/health/clocks.ts';
import { databaseCheck, probeCheck } from '../../domain/ops/health/database.ts';
import { feedHealth } from '../../domain/ops/health/feed.ts';
import { Monitor, type Check, type HealthReport } from '../../domain/ops/health/monitor.ts';
import {
  endProcess,
  findProcesses,
  newProcess,
  type ProcessIdentity,
} from '../../domain/ops/health/processes.ts';
import { networksCheck } from '../../domain/ops/health/networks.ts';
import { queuesCheck, type QueueOfJob } from '../../domain/ops/health/queues.ts';
import { redisCheck } from '../../domain/ops/health/redis.ts';
import { walletsCheck } from '../../domain/ops/health/wallets.ts';
import { secretsKeyCheck } from '../../domain/ops/health/secrets-key.ts';
import type { HealthState } from '../../http/operators/health-metrics.ts';
import type { Context } from '../../platform/context.ts';
import { SILENT } from '../../platform/log.ts';
import { openRedis, type RedisConnection } from '../../platform/redis/open.ts';
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
  const database = databaseCheck(ctx, own, () => ({
    queues: runs?.byQueue() ?? {},
    faults: monitor.report().faults,
  }));
  const monitor = new Monitor(ctx.log, database, [secretsKeyCheck(ctx), ...checksOf(ctx, queues, redis)]);
  const stop = new AbortController();
  lifetime.own('health', async () => {
    stop.abort();
    redis?.disconnect();
    // Postgres may be why the process ends.
    await endProcess(ctx, own).catch(() => undefined);
  });
  await monitor.start(stop.signal);
  return { kind, health: monitor, queues: () => queues.state() };
}

/** What a command finds as well as a process does. */
function checksOf(ctx: Context, queues: Check, redis: RedisConnection | null): readonly Check[] {
  return [
    queues,
    clocksCheck(ctx),
    feedHealth(ctx),
    walletsCheck(ctx),
    networksCheck(ctx),
    ...(redis === null ? [] : [redisCheck(redis)]),
  ];
}

/**
 * Looks at everything once, and adds what the processes that run have found, as each says it in /v1/status:
 * that a queue stands still shows to whoever has looked for a while, and a wrong SECRETS_KEY to who has it.
 */
export async function lookOnce(ctx: Context): Promise<HealthReport> {
  const quiet = { ...ctx, log: SILENT };
  const redis = ctx.config.redisUrl === null ? null : openRedis(ctx.config.redisUrl, 'health', SILENT);
  try {
    const queues = queuesCheck(quiet, queueOfJob(ctx));
    const { isReachable, faults } = await new Monitor(
      SILENT,
      probeCheck(ctx),
      checksOf(quiet, queues, redis),
    ).lookOnce();
    const alive = (await findProcesses(ctx.db, ctx.systemNow())).filter((one) => one.isAlive);
    const found = [...faults, ...alive.flatMap((one) => one.faults)];
    const first = found.filter(
      ({ check, reason }, i) =>
        i === found.findIndex((other) => other.check === check && other.reason === reason),
    );
    return { isReachable, faults: first };
  } finally {
    redis?.disconnect();
  }
}

function queueOfJob({ config }: Context): QueueOfJob {
  const adapters = createAdapters(config);
  const queueOf = new Map([...createHandlers(adapters).values()].map(({ job }) => [job.name, job.queue]));
  void closeAdapters(adapters);
  return queueOf;
}
