/** Every type of event (specification, "Event types"). */
export const EVENT_TYPES = [
  'checkout.created',
  'checkout.pending',
  'checkout.processing',
  'checkout.settled',
  'checkout.failed',
  'checkout.refunded',
  'checkout.funds_received',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The statuses that an event of each type can report. */
interface StatusOf {
  'checkout.created': 'WAITING';
  'checkout.pending': 'PENDING';
  'checkout.processing': 'PROCESSING';
  'checkout.settled': 'SETTLED';
  'checkout.failed': 'EXPIRED' | 'FAILED';
  /** SETTLED: a part was refunded. */
  'checkout.refunded': 'SETTLED' | 'REFUNDED';
  /** Money that changes no status. */
  'checkout.funds_received':
    | 'WAITING'
    | 'PENDING'
    | 'PROCESSING'
    | 'SETTLED'
    | 'EXPIRED'
    | 'FAILED'
    | 'REFUNDED';
}
export type CheckoutStatus = StatusOf[EventType];

/** What is out of the ordinary about a payment; several can be. */
export type CheckoutException = 'underpaid' | 'overpaid' | 'late' | 'reorged' | 'replaced';

/** What happens with too little, too late and too much. */
export interface CheckoutPolicy {
  readonly underpaid: 'wait' | 'accept';
  readonly underpaid_tolerance_percent: number;
  readonly late: 'honour' | 'refund';
  readonly overpaid: 'keep' | 'refund_excess';
}

/** The refund that a `checkout.refunded` reports. */
export interface CheckoutRefund {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  /** What was sent: `coinAmount` of `coin` on `network`, by the transaction `txHash`. */
  readonly coin: string;
  readonly network: string;
  readonly coinAmount: string;
  readonly address: string | null;
  readonly txHash: string | null;
}

/** The transfer that a `checkout.funds_received` reports. */
export interface CheckoutTransfer {
  readonly coin: string;
  readonly network: string;
  /** In `coin`. */
  readonly amount: string;
  /** What it is worth, in the settlement coin; decided when it was first seen. */
  readonly credit: string;
  readonly txHash: string;
}

/**
 * What every event holds, whatever its type (specification, "Envelope"). Amounts are decimal strings: parse
 * them with a decimal library, not into a float. What is not known yet is null.
 */
export interface EventEnvelope {
  /** The same in each delivery of the event: an event whose id you know already needs nothing but a 2xx. */
  readonly id: string;
  readonly type: EventType;
  /** When it happened, ISO 8601; not when it was sent. */
  readonly timestamp: string;
  /** 1, 2, 3 ... per payment, without gaps. Events may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly checkout: {
      /** The payment's id. */
      readonly id: string;
      readonly status: CheckoutStatus;
      /** What is to be paid, in the settlement coin `currency`. */
      readonly amount: string;
      readonly currency: string;
      /** The same in the coin that the customer pays with. */
      readonly cryptoAmount: string;
      readonly cryptoCurrency: string;
      readonly settledAt: string | null;
      readonly exceptions: readonly CheckoutException[];
      readonly policy: CheckoutPolicy;
    };
    readonly payment: {
      readonly txHash: string | null;
      readonly confirmations: number;
      readonly requiredConfirmations: number;
      readonly network: string;
    };
    readonly refund?: CheckoutRefund;
    readonly transfer?: CheckoutTransfer;
  };
  /** The order's id, and the merchant's own keys. */
  readonly metadata: { readonly orderId: string; readonly [key: string]: string };
}

/** An event: `event.type` narrows `event.data`. */
export type WebhookEvent = { [Type in EventType]: EventEnvelope & Reported<Type> }[EventType];

interface Reported<Type extends EventType> {
  readonly type: Type;
  readonly data: {
    readonly checkout: { readonly status: StatusOf[Type] } & (Type extends 'checkout.settled'
      ? { readonly settledAt: string }
      : unknown);
  } & (Type extends 'checkout.refunded' ? { readonly refund: CheckoutRefund } : unknown) &
    (Type extends 'checkout.funds_received' ? { readonly transfer: CheckoutTransfer } : unknown);
}
