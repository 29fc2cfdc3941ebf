import type { Handler } from '../schedule/job.ts';
import { countOnce } from './counts/count.ts';
import { countPayments } from './jobs.ts';

/** The handlers of what the desk shows of all payments. */
export const overviewHandlers: readonly Handler[] = [
  {
    job: countPayments,
    async handle(ctx) {
      await countOnce(ctx);
    },
  },
];
