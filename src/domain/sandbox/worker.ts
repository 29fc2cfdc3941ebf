import type { Handler } from '../../platform/job.ts';
import { autopay } from './customer/autopay.ts';
import { autopayPayment } from './customer/jobs.ts';

export const sandboxHandlers: readonly Handler[] = [{ job: autopayPayment, handle: autopay }];
