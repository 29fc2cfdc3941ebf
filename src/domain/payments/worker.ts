import type { Handler } from '../../platform/job.ts';
import { expirePayment, requotePayment, sendRefund, settlePayment, syncChain } from './lifecycle/jobs.ts';
import type { PaymentAdapters } from './lifecycle/ports.ts';
import { expirePayments } from './processing/expire.ts';
import { requotePayments } from './processing/requote.ts';
import { settlePayments } from './processing/settle.ts';
import { syncChains } from './processing/sync-chains.ts';
import { sendRefunds } from './refunds/send.ts';

/** The handlers of payments. */
export const paymentHandlers = (adapters: PaymentAdapters): readonly Handler[] => [
  { job: expirePayment, handle: (ctx, ids) => expirePayments(ctx, adapters, ids) },
  { job: requotePayment, handle: (ctx, ids) => requotePayments(ctx, adapters, ids) },
  { job: settlePayment, handle: (ctx, ids) => settlePayments(ctx, adapters, ids) },
  { job: sendRefund, handle: (ctx, ids) => sendRefunds(ctx, adapters, ids) },
  { job: syncChain, handle: (ctx, keys) => syncChains(ctx, adapters, keys) },
];
