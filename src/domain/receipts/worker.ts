import type { Handler } from '../../platform/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { sendReceipt } from './jobs.ts';
import { sendReceipts } from './send.ts';

/** The handlers of receipts. */
export const receiptHandlers = (adapters: { mailer: Mailer | null }): readonly Handler[] => [
  { job: sendReceipt, handle: (ctx, ids) => sendReceipts(ctx, adapters, ids) },
];
