import type { Handler } from '../../platform/job.ts';
import { autopay, type AutopayAdapters } from './customer/autopay.ts';
import { autopayPayment } from './customer/jobs.ts';

/** The handlers of the sandbox. */
export const sandboxHandlers = (adapters: AutopayAdapters): readonly Handler[] => [
  { job: autopayPayment, handle: (ctx, ids) => autopay(ctx, adapters, ids) },
];
