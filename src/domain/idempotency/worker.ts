import { schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { sweepIdempotencyKeys } from './jobs.ts';
import { sweepOnce } from './sweep.ts';

const EVERY_SECONDS = 3600;

export const idempotencyHandlers: readonly Handler[] = [
  {
    job: sweepIdempotencyKeys,
    async handle(ctx, [key = 'all']) {
      const swept = await sweepOnce(ctx);
      if (swept > 0) ctx.log.info('idempotency keys swept', { swept });
      await schedule(ctx.db, [
        { job: sweepIdempotencyKeys, key, runAt: addSeconds(ctx.now(), EVERY_SECONDS), testClock: null },
      ]);
    },
  },
];
