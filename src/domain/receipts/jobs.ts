import { isZero } from '../../platform/values/money.ts';
import type { EventType } from '../../sdk/event-types.ts';
import { returnsLate, type Policy } from '../payments/lifecycle/policy.ts';
import {
  isExpired,
  isOpen,
  paysForOrder,
  type Exception,
  type Status,
} from '../payments/lifecycle/states.ts';
import { defineJob } from '../schedule/job.ts';
import type { RequestReason } from './store.ts';

/**
 * Key: an event's id. Due when the event is recorded, if the customer has an address. One key a job, so that
 * a slow mail server delays no other receipt.
 */
export const sendReceipt = defineJob('receipt.send', 'mail', { perMerchant: true });

/**
 * Key: the id of an event that reports money for which there is no use, too late or too little; due as
 * receipts are. A job of its own: a previous release that runs beside this one has no handler for it, and
 * would send the mail as a receipt.
 */
export const sendAddressRequest = defineJob('address-request.send', 'mail', { perMerchant: true });

/** What decides whether an event is a reason to tell its customer about their money. */
export interface ReportedMoney {
  readonly type: EventType;
  /** The status that the event reports. */
  readonly status: Status;
  /** Of the payment. */
  readonly exceptions: readonly Exception[];
  readonly policy: Policy;
  readonly amount_received: string;
}

/**
 * Returns why the money that an event reports has no use, or not yet: it is too little, was so at the
 * deadline, or came when the payment had ended. Null: it reports no such money. What is too much beside a
 * price that is paid is no reason: its customer has a receipt.
 */
export function requestReasonOf(event: ReportedMoney): RequestReason | null {
  const { type, status, exceptions, policy, amount_received } = event;
  if (isZero(amount_received)) return null;
  if (type === 'checkout.pending')
    return isOpen(status) && exceptions.includes('underpaid') ? 'incomplete' : null;
  // An open payment will expire, and report that.
  if (type === 'checkout.funds_received') return isOpen(status) || paysForOrder(status) ? null : 'too_late';
  if (type !== 'checkout.failed' || !isExpired(status)) return null;
  const isReturned = exceptions.includes('late') && returnsLate(policy);
  return exceptions.includes('underpaid') && !isReturned ? 'too_little' : 'too_late';
}
