import type { ChainOf, TestChain } from '../chain/port.ts';
import type { Handler } from '../../platform/job.ts';
import { autopay } from './customer/autopay.ts';
import { autopayPayment } from './customer/jobs.ts';

/** The handlers of the sandbox. */
export const sandboxHandlers = (adapters: { testChain: ChainOf<TestChain> }): readonly Handler[] => [
  { job: autopayPayment, handle: (ctx, ids) => autopay(ctx, adapters, ids) },
];
