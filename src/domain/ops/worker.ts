import type { Handler } from '../schedule/job.ts';
import { sweepRequests } from '../merchants/requests/sweep.ts';
import { sweepEvents } from '../events/sweep.ts';
import { sweepCounts } from '../overview/counts/count.ts';
import { sweepProcesses } from './health/processes.ts';
import { askUnaskedRefunds } from '../payments/refunds/given-address.ts';
import { sweepSecrets } from '../webhooks/secrets/rotate.ts';
import { reconcileJobs, sweepHistory } from './jobs.ts';
import { reconcileOnce } from './reconcile.ts';

export const opsHandlers: readonly Handler[] = [
  {
    job: reconcileJobs,
    async handle(ctx) {
      await reconcileOnce(ctx);
      const asked = await askUnaskedRefunds(ctx);
      if (asked > 0) ctx.log.info('customers asked for the addresses that their refunds wait for', { asked });
    },
  },
  {
    job: sweepHistory,
    async handle(ctx) {
      const swept = { events: await sweepEvents(ctx), secrets: await sweepSecrets(ctx) };
      await sweepRequests(ctx);
      await sweepProcesses(ctx);
      await sweepCounts(ctx);
      if (swept.events + swept.secrets > 0) ctx.log.info('old events and secrets deleted', swept);
    },
  },
];
