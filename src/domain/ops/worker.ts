import { schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { sweepEvents } from '../events/sweep.ts';
import { sweepSecrets } from '../webhooks/secrets/sweep.ts';
import { reconcileWork, sweepHistory } from './jobs.ts';
import { reconcileOnce } from './reconcile.ts';

const RECONCILE_EVERY_SECONDS = 600;
const SWEEP_EVERY_SECONDS = 3600;

export const opsHandlers: readonly Handler[] = [
  {
    job: reconcileWork,
    async handle(ctx, [key = 'all']) {
      await reconcileOnce(ctx);
      await schedule(ctx.db, [
        { job: reconcileWork, key, runAt: addSeconds(ctx.now(), RECONCILE_EVERY_SECONDS), testClock: null },
      ]);
    },
  },
  {
    job: sweepHistory,
    async handle(ctx, [key = 'all']) {
      const swept = { events: await sweepEvents(ctx), secrets: await sweepSecrets(ctx) };
      if (swept.events + swept.secrets > 0) ctx.log.info('history swept', swept);
      await schedule(ctx.db, [
        { job: sweepHistory, key, runAt: addSeconds(ctx.now(), SWEEP_EVERY_SECONDS), testClock: null },
      ]);
    },
  },
];
