import { askRefundAddress, tellRefundAddress } from '../payments/lifecycle/jobs.ts';
import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { sendAddressRequest, sendReceipt } from './jobs.ts';
import { sendAddressNotices, sendAddressRequests, sendReceipts, sendRefundRequests } from './send.ts';

/** The handlers of mails to customers. */
export const receiptHandlers = (adapters: { mailer: Mailer | null }): readonly Handler[] => [
  { job: sendReceipt, handle: (ctx, ids) => sendReceipts(ctx, adapters, ids) },
  { job: sendAddressRequest, handle: (ctx, ids) => sendAddressRequests(ctx, adapters, ids) },
  { job: askRefundAddress, handle: (ctx, ids) => sendRefundRequests(ctx, adapters, ids) },
  { job: tellRefundAddress, handle: (ctx, keys) => sendAddressNotices(ctx, adapters, keys) },
];
