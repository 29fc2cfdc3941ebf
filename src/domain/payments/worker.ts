import type { Handler } from '../schedule/job.ts';
import {
  applyQuarantined,
  endHolds,
  expirePayment,
  requotePayment,
  offerRefund,
  sellPayment,
  sendRefund,
  settlePayment,
  syncChain,
} from './lifecycle/jobs.ts';
import type { AdaptersByMode } from './lifecycle/ports.ts';
import { applyQuarantinedTransfers } from './processing/apply-quarantined.ts';
import { byMode } from './processing/by-mode.ts';
import { endHoldsOf, expirePayments } from './processing/expire.ts';
import { requotePayments } from './processing/requote.ts';
import { settlePayments } from './processing/settle.ts';
import { syncChains } from './sync/sync-chains.ts';
import { unlessHalted } from './processing/unless-halted.ts';
import { offerRefunds } from './refunds/by-signer/offer.ts';
import { sendRefunds } from './refunds/send.ts';
import { sellPayments } from './sales/sell.ts';

/** The handlers of payments. A chain that is synced is shared: its sync skips payments of other modes. */
export const paymentHandlers = (adapters: AdaptersByMode): readonly Handler[] => [
  byMode(expirePayment, adapters, expirePayments, 'run'),
  byMode(endHolds, adapters, endHoldsOf, 'run'),
  byMode(requotePayment, adapters, requotePayments, 'drop'),
  byMode(settlePayment, adapters, unlessHalted(settlePayment, settlePayments), 'defer'),
  byMode(sellPayment, adapters, unlessHalted(sellPayment, sellPayments), 'defer'),
  byMode(sendRefund, adapters, unlessHalted(sendRefund, sendRefunds), 'defer'),
  byMode(offerRefund, adapters, unlessHalted(offerRefund, offerRefunds), 'defer'),
  byMode(applyQuarantined, adapters, applyQuarantinedTransfers, 'defer'),
  { job: syncChain, handle: (ctx, keys) => syncChains(ctx, adapters, keys) },
];
