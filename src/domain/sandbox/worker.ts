import type { Handler } from '../schedule/job.ts';
import { autopay, type AutopayAdapters } from './customer/autopay.ts';
import { autopayPayment } from './customer/jobs.ts';
import { sweepScenarios } from './scenarios/jobs.ts';
import { sweepScenariosOnce } from './scenarios/sweep.ts';

/** The handlers of the sandbox. */
export const sandboxHandlers = (adapters: AutopayAdapters): readonly Handler[] => [
  { job: autopayPayment, handle: (ctx, ids) => autopay(ctx, adapters, ids) },
  {
    job: sweepScenarios,
    async handle(ctx) {
      const swept = await sweepScenariosOnce(ctx, adapters);
      if (swept > 0) ctx.log.info('rows of scenarios deleted', { swept });
    },
  },
];
