import type { Exception, Status, Trigger } from '../../src/domain/payments/lifecycle/states.ts';

/** What a status means, and what a shop does about it; in Markdown. */
export const STATUS_MEANINGS = {
  WAITING:
    'The payment was created, and nothing was seen on the chain. Send the customer to `checkout_url`, or wait.',
  PENDING:
    'Money was seen on the chain. Confirmations are outstanding, or more money is: `exceptions` then has ' +
    '`underpaid`. Do not ship yet.',
  PROCESSING:
    'The price is confirmed in full, and is being converted to the settlement coin. A block that is ' +
    'reorganised at this moment leads back to PENDING. Do not ship yet.',
  SETTLED:
    'The money is converted and settled: fulfil the order. What follows can only be a refund, which you ask ' +
    'for, or one of the policy `overpaid: refund_excess`.',
  EXPIRED:
    'The deadline passed without enough money. Release what you have reserved. Money that comes within 24 ' +
    'hours still counts, unless the policy is `late: refund`: be ready for the payment to go on.',
  FAILED:
    'Every transfer was lost, or the conversion failed. Offer the customer a new payment. What is held can be ' +
    'refunded.',
  REFUNDED: 'Everything that was received was sent back. Money that comes later can be refunded as well.',
} as const satisfies Record<Status, string>;

/** When a trigger moves a payment; in Markdown. */
export const TRIGGER_MEANINGS = {
  created: 'You created the payment.',
  transfer_seen:
    'A transfer to the payment was seen on the chain: the first, a further one, or one after the deadline that ' +
    'is honoured.',
  confirmed_in_full: 'Transfers that cover the price have all their confirmations.',
  settled: 'The money was converted to the settlement coin.',
  block_reorganised: 'The chain replaced the block of a transfer: it confirms again.',
  transfer_lost: 'A transfer was dropped from the chain, and what still stands is not enough.',
  all_lost: 'Transfers were dropped from the chain, and none is left.',
  conversion_failed: 'The money could not be converted.',
  deadline_passed: 'The time to pay is over, and there is not enough money.',
  cancelled: 'You cancelled the payment before there was enough money.',
  refunded_in_full: 'All of the money was sent back.',
  refunded_in_part: 'A part of the money was sent back.',
  funds_received:
    'Money came that changes no status: after the time in which it is honoured, beside a price that is covered, ' +
    'while a refund is open, or after FAILED or REFUNDED.',
} as const satisfies Record<Trigger, string>;

/** What an exception says about a payment; in Markdown. */
export const EXCEPTION_MEANINGS = {
  underpaid: 'Less than the price was seen. It disappears when the rest comes.',
  overpaid: 'More than the price was seen. It disappears when the sum is right again.',
  late: 'Money came after the deadline. It stays.',
  reorged: 'The block of a transfer was reorganised. It stays.',
  replaced: 'A transfer was replaced by another transaction, or dropped. It stays.',
} as const satisfies Record<Exception, string>;
