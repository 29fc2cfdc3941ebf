import { EVENT_TYPES, type CheckoutStatus, type EventType } from '../../../sdk/event-types.ts';

export { EVENT_TYPES, type EventType };

/** The sdk declares the statuses, because merchants' code compiles against them; their traits are here. */
export type Status = CheckoutStatus;

/** What a status means for its payment; a new status must state each trait. */
interface StatusTraits {
  /** The customer may still pay: the payment can expire, and may be quoted again. */
  readonly isOpen: boolean;
  /** A transfer moves the payment. */
  readonly acceptsMoney: boolean;
  /** The money received pays for the order; the rest belongs to the customer. */
  readonly paysForOrder: boolean;
  /** A transfer that is lost or reorganised away moves the payment. */
  readonly dependsOnChain: boolean;
  /** The merchant may refund the payment in full. */
  readonly isRefundable: boolean;
  /** It holds an item of its payment link. */
  readonly holdsItem: boolean;
}

/**
 * Every status. The CHECK constraint, the API's schema and the documentation are tested against this table.
 */
const STATUS_TRAITS: Readonly<Record<Status, StatusTraits>> = {
  WAITING: {
    isOpen: true,
    acceptsMoney: true,
    paysForOrder: false,
    dependsOnChain: false,
    isRefundable: false,
    holdsItem: true,
  },
  PENDING: {
    isOpen: true,
    acceptsMoney: true,
    paysForOrder: true,
    dependsOnChain: true,
    isRefundable: false,
    holdsItem: true,
  },
  PROCESSING: {
    isOpen: false,
    acceptsMoney: false,
    paysForOrder: true,
    dependsOnChain: true,
    isRefundable: false,
    holdsItem: true,
  },
  SETTLED: {
    isOpen: false,
    acceptsMoney: false,
    paysForOrder: true,
    dependsOnChain: false,
    isRefundable: true,
    holdsItem: true,
  },
  EXPIRED: {
    isOpen: false,
    acceptsMoney: true,
    paysForOrder: false,
    dependsOnChain: false,
    isRefundable: true,
    holdsItem: false,
  },
  FAILED: {
    isOpen: false,
    acceptsMoney: false,
    paysForOrder: false,
    dependsOnChain: false,
    isRefundable: true,
    holdsItem: false,
  },
  REFUNDED: {
    isOpen: false,
    acceptsMoney: false,
    paysForOrder: false,
    dependsOnChain: false,
    isRefundable: true,
    holdsItem: false,
  },
};

export const STATUSES = Object.keys(STATUS_TRAITS) as Status[];

export const EXCEPTIONS = ['underpaid', 'overpaid', 'late', 'reorged', 'replaced'] as const;
export type Exception = (typeof EXCEPTIONS)[number];

export interface Transition {
  /** Statuses that the payment may be in; none: the transition creates it. */
  readonly from: readonly Status[];
  /** Null: the status does not change. */
  readonly to: Status | null;
  readonly event: EventType;
}

/**
 * The transition table: trigger x status -> next status and event. Nothing else decides how a payment moves.
 */
export const TRANSITIONS = {
  created: { from: [], to: 'WAITING', event: 'checkout.created' },
  transfer_seen: { from: ['WAITING', 'PENDING', 'EXPIRED'], to: 'PENDING', event: 'checkout.pending' },
  confirmed_in_full: { from: ['PENDING'], to: 'PROCESSING', event: 'checkout.processing' },
  settled: { from: ['PROCESSING'], to: 'SETTLED', event: 'checkout.settled' },
  block_reorganised: { from: ['PENDING', 'PROCESSING'], to: 'PENDING', event: 'checkout.pending' },
  transfer_lost: { from: ['PENDING', 'PROCESSING'], to: 'PENDING', event: 'checkout.pending' },
  all_lost: { from: ['PENDING', 'PROCESSING'], to: 'FAILED', event: 'checkout.failed' },
  conversion_failed: { from: ['PROCESSING'], to: 'FAILED', event: 'checkout.failed' },
  deadline_passed: { from: ['WAITING', 'PENDING'], to: 'EXPIRED', event: 'checkout.failed' },
  cancelled: { from: ['WAITING', 'PENDING'], to: 'EXPIRED', event: 'checkout.failed' },
  refunded_in_full: {
    from: ['SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED'],
    to: 'REFUNDED',
    event: 'checkout.refunded',
  },
  refunded_in_part: { from: ['SETTLED'], to: 'SETTLED', event: 'checkout.refunded' },
  funds_received: {
    // From WAITING: money after the deadline that is not honoured, before the expiry has run.
    from: ['WAITING', 'PENDING', 'PROCESSING', 'SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED'],
    to: null,
    event: 'checkout.funds_received',
  },
} as const satisfies Record<string, Transition>;
export type Trigger = keyof typeof TRANSITIONS;

/** True when `trigger` may move a payment in `status`; only for decisions about that transition. */
export function allows(status: Status, trigger: Trigger): boolean {
  const { from }: Transition = TRANSITIONS[trigger];
  return from.includes(status);
}

/** True while the customer may still pay: the payment can expire, and may be quoted again. */
export const isOpen = (status: Status): boolean => STATUS_TRAITS[status].isOpen;

/** True when a transfer moves the payment; late money does so within its window. */
export const acceptsMoney = (status: Status): boolean => STATUS_TRAITS[status].acceptsMoney;

/** True when the money received pays for the order. */
export const paysForOrder = (status: Status): boolean => STATUS_TRAITS[status].paysForOrder;

/** True when a transfer that is lost or reorganised away moves the payment. */
export const dependsOnChain = (status: Status): boolean => STATUS_TRAITS[status].dependsOnChain;

/** True when the merchant may refund the payment in full. */
export const isRefundable = (status: Status): boolean => STATUS_TRAITS[status].isRefundable;

/** True while the payment holds an item of its payment link: it is open or paid, and not sent back. */
export const holdsItem = (status: Status): boolean => STATUS_TRAITS[status].holdsItem;

/** True while the payment is confirmed in full and being converted. */
export const isProcessing = (status: Status): boolean => status === 'PROCESSING';

export const isSettled = (status: Status): boolean => status === 'SETTLED';

/** True while confirmed money is converted to the settlement coin. */
export const isConverted = (status: Status): boolean => isProcessing(status) || isSettled(status);

export const isExpired = (status: Status): boolean => status === 'EXPIRED';

/** True while confirmations are outstanding, or more money. */
export const isPending = (status: Status): boolean => status === 'PENDING';

/** True until the payment is settled or has ended without: refunds and late money may follow. */
export const isUnderWay = (status: Status): boolean => isOpen(status) || isProcessing(status);

/** All of the money was sent back. */
export const isRefunded = (status: Status): boolean => status === 'REFUNDED';

/** SQL: the statuses of which `is` is true, for `status IN (...)`. */
export const statusesThat = (is: (status: Status) => boolean): string =>
  STATUSES.filter(is)
    .map((status) => `'${status}'`)
    .join(', ');
