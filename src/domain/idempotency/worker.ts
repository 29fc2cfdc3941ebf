import type { Handler } from '../schedule/job.ts';
import { sweepIdempotencyKeys } from './jobs.ts';
import { sweepOnce } from './sweep.ts';

export const idempotencyHandlers: readonly Handler[] = [
  {
    job: sweepIdempotencyKeys,
    async handle(ctx) {
      const swept = await sweepOnce(ctx);
      if (swept > 0) ctx.log.info('idempotency keys deleted', { swept });
    },
  },
];
