import { startBackground } from '../background/start.ts';
import { assertRedis } from '../platform/redis/check.ts';
import { connectionsOf } from './setup/ops/before-start.ts';
import { startHeartbeat } from './setup/heartbeat.ts';
import { openHealth } from './setup/health.ts';
import { operatorPages } from '../http/operators/pages.ts';
import { startOperatorServer } from '../http/operators/server.ts';
import { probes } from '../http/operators/probes.ts';
import { runMain } from './setup/lifetime.ts';
import {
  assertRightClock,
  assertServable,
  configFrom,
  createContext,
  openTraces,
  WORKER_DB,
} from './setup/context.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env);
  const ctx = createContext(lifetime, 'worker', config, WORKER_DB);
  await openTraces(ctx, lifetime, 'worker');
  if (config.redisUrl !== null) await assertRedis(config.redisUrl);
  await assertServable(ctx, true);
  await assertRightClock(ctx);
  lifetime.own('heartbeat', startHeartbeat(ctx.log));
  const background = await startBackground(ctx);
  lifetime.own('jobs', () => background.close());
  const state = await openHealth(ctx, lifetime, 'worker', background.runs);
  if (config.adminPort !== null) {
    const ready = probes({
      health: state.health,
      clock: ctx.clock,
      isDraining: () => lifetime.isDraining(),
      needs: ['redis', 'secrets_key'],
    });
    const queueJobs = () => background.countQueues();
    const pages =
      config.adminPassword === null
        ? null
        : operatorPages(ctx, config.adminPassword, null, { ...state, queueJobs });
    const server = await startOperatorServer(ctx, config.adminPort, ready, pages);
    lifetime.own("operators' server", () => server.close());
  }
  ctx.log.info('working', {
    engine: background.engine,
    queues: config.workerQueues ?? 'all',
    concurrency: config.workerConcurrency,
    postgres_connections: connectionsOf('worker', config),
  });
});
