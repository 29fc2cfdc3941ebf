/** Every status of a payment. The CHECK constraint, the API's schema and the documentation are tested against this list. */
export const STATUSES = [
  'WAITING',
  'PENDING',
  'PROCESSING',
  'SETTLED',
  'EXPIRED',
  'FAILED',
  'REFUNDED',
] as const;
export type Status = (typeof STATUSES)[number];

export const EXCEPTIONS = ['underpaid', 'overpaid', 'late', 'reorged', 'replaced'] as const;
export type Exception = (typeof EXCEPTIONS)[number];

export const EVENT_TYPES = [
  'checkout.created',
  'checkout.pending',
  'checkout.processing',
  'checkout.settled',
  'checkout.failed',
  'checkout.refunded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface Transition {
  /** Statuses that the payment may be in; none: the transition creates it. */
  readonly from: readonly Status[];
  readonly to: Status;
  readonly event: EventType;
}

/** How a payment moves: cause x status -> next status and event. Nothing else decides it. */
export const TRANSITIONS = {
  created: { from: [], to: 'WAITING', event: 'checkout.created' },
  transfer_seen: { from: ['WAITING', 'PENDING', 'EXPIRED'], to: 'PENDING', event: 'checkout.pending' },
  confirmed_in_full: { from: ['PENDING'], to: 'PROCESSING', event: 'checkout.processing' },
  settled: { from: ['PROCESSING'], to: 'SETTLED', event: 'checkout.settled' },
  block_reorganised: { from: ['PENDING', 'PROCESSING'], to: 'PENDING', event: 'checkout.pending' },
  transfer_replaced: { from: ['PENDING', 'PROCESSING'], to: 'FAILED', event: 'checkout.failed' },
  conversion_failed: { from: ['PROCESSING'], to: 'FAILED', event: 'checkout.failed' },
  deadline_passed: { from: ['WAITING', 'PENDING'], to: 'EXPIRED', event: 'checkout.failed' },
  refunded_in_full: { from: ['SETTLED', 'EXPIRED', 'FAILED'], to: 'REFUNDED', event: 'checkout.refunded' },
  refunded_in_part: { from: ['SETTLED'], to: 'SETTLED', event: 'checkout.refunded' },
} as const satisfies Record<string, Transition>;
export type Trigger = keyof typeof TRANSITIONS;

/** True when a payment in `status` may move by `cause`. */
export function allows(status: Status, trigger: Trigger): boolean {
  const { from }: Transition = TRANSITIONS[trigger];
  return from.includes(status);
}
