import { schedule } from '../due-work/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { reconcileWork } from './jobs.ts';
import { reconcileOnce } from './reconcile.ts';

const EVERY_SECONDS = 600;

export const opsHandlers: readonly Handler[] = [
  {
    job: reconcileWork,
    async handle(ctx, [key = 'all']) {
      await reconcileOnce(ctx);
      await schedule(ctx.db, [{ job: reconcileWork, key, runAt: addSeconds(ctx.now(), EVERY_SECONDS) }]);
    },
  },
];
