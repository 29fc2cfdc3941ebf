import type { Handler } from '../schedule/job.ts';
import { sweepEvents } from '../events/sweep.ts';
import { sweepProcesses } from './health/processes.ts';
import { sweepSecrets } from '../webhooks/secrets/rotate.ts';
import { reconcileJobs, sweepHistory } from './jobs.ts';
import { reconcileOnce } from './reconcile.ts';

export const opsHandlers: readonly Handler[] = [
  {
    job: reconcileJobs,
    handle: async (ctx) => void (await reconcileOnce(ctx)),
  },
  {
    job: sweepHistory,
    async handle(ctx) {
      const swept = { events: await sweepEvents(ctx), secrets: await sweepSecrets(ctx) };
      await sweepProcesses(ctx);
      if (swept.events + swept.secrets > 0) ctx.log.info('old events and secrets deleted', swept);
    },
  },
];
