import type { Handler } from '../../platform/job.ts';
import { sendReceipt } from './jobs.ts';
import { sendReceipts } from './send.ts';

/** The handlers of the receipts' jobs. */
export const receiptHandlers: readonly Handler[] = [{ job: sendReceipt, handle: sendReceipts }];
