import { startBackground } from '../background/start.ts';
import { beat } from './heartbeat.ts';
import { configOrExit, createContext, drainOnSignal, runMain, WORKER_DB } from './setup.ts';

runMain(async () => {
  const config = configOrExit();
  const ctx = createContext('worker', config, WORKER_DB);
  const background = await startBackground(ctx, beat);
  ctx.log.info('working', {
    engine: background.engine,
    queues: config.workerQueues ?? 'all',
    concurrency: config.workerConcurrency,
  });
  drainOnSignal(ctx.log, async () => {
    await background.close();
    await ctx.db.destroy();
  });
});
