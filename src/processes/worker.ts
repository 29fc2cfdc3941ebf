import { startBackground } from '../background/start.ts';
import { startHeartbeat } from './setup/heartbeat.ts';
import { runMain } from './setup/lifetime.ts';
import { assertReleased, configFrom, createContext, WORKER_DB } from './setup/context.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env);
  const ctx = createContext(lifetime, 'worker', config, WORKER_DB);
  await assertReleased(ctx, true);
  const heartbeat = startHeartbeat(ctx.log);
  lifetime.own(() => heartbeat.end());
  const background = await startBackground(ctx, () => heartbeat.beat());
  lifetime.own(() => background.close());
  ctx.log.info('working', {
    engine: background.engine,
    queues: config.workerQueues ?? 'all',
    concurrency: config.workerConcurrency,
  });
});
