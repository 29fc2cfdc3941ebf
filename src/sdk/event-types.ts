import type { CheckoutPrice, CheckoutRefund, CheckoutSettlement, CheckoutTransfer } from './events/money.ts';

export type {
  CheckoutPrice,
  CheckoutRefund,
  CheckoutSettlement,
  CheckoutTransfer,
  SettlementMode,
} from './events/money.ts';

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
/** What an event reports. */
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
/** The statuses of a payment (contract, "Status and transitions"). */
export type CheckoutStatus = StatusOf[EventType];

/** What is out of the ordinary about a payment; several can be. */
export type CheckoutException = 'underpaid' | 'overpaid' | 'late' | 'reorged' | 'replaced';

/** What happens with too little, too late and too much. */
export interface CheckoutPolicy {
  /** wait: for the rest, until the deadline. accept: what is short by at most the tolerance is enough. */
  readonly underpaid: 'wait' | 'accept';
  /** 0 to 100; only with `underpaid: accept`. */
  readonly underpaid_tolerance_percent: number;
  /** honour: money after the deadline counts for 24 hours. refund: it is sent back. */
  readonly late: 'honour' | 'refund';
  /** keep: what was too much can be refunded. refund_excess: it is sent back. */
  readonly overpaid: 'keep' | 'refund_excess';
}

/**
 * What every event holds, whatever its type (specification, "Envelope"). Amounts are decimal strings: parse
 * them with a decimal library, not into a float. What is not known yet is null.
 */
export interface EventEnvelope {
  /** The same in each delivery of the event: an event whose id you know already needs nothing but a 2xx. */
  readonly id: string;
  /** What it reports; narrows `data` of a WebhookEvent. */
  readonly type: EventType;
  /** When it happened, ISO 8601; not when it was sent. */
  readonly timestamp: string;
  /** 1, 2, 3 ... per payment, without gaps. Events may arrive in another order. */
  readonly sequence: number;
  /** The payment as it was at that moment. */
  readonly data: {
    /** What is to be paid, and how far it is. */
    readonly checkout: {
      /** The payment's id. */
      readonly id: string;
      /** The payment's status. */
      readonly status: CheckoutStatus;
      /** What is to be paid, in the settlement coin `currency`. */
      readonly amount: string;
      /** The settlement coin. */
      readonly currency: string;
      /** The same in the coin that the customer pays with. */
      readonly cryptoAmount: string;
      /** The coin that the customer pays with. */
      readonly cryptoCurrency: string;
      /** When it was settled, ISO 8601; null until then. */
      readonly settledAt: string | null;
      /** What is out of the ordinary, as a set. */
      readonly exceptions: readonly CheckoutException[];
      /** What happens with too little, too late and too much. */
      readonly policy: CheckoutPolicy;
    };
    /** A transfer of the payment. */
    readonly payment: {
      /** Its transaction; null until one is seen. */
      readonly txHash: string | null;
      /** How many confirmations it has. */
      readonly confirmations: number;
      /** How many it needs; null: a checkpoint of the network makes it final, whatever their number. */
      readonly requiredConfirmations: number | null;
      /** The network on which it came, or is awaited. */
      readonly network: string;
    };
    /** In what it settles. */
    readonly settlement: CheckoutSettlement;
    /** In money, of which `checkout.amount` was converted; null: it was asked for in coins. */
    readonly price: CheckoutPrice | null;
    /** Only of `checkout.refunded`. */
    readonly refund?: CheckoutRefund;
    /** Only of `checkout.funds_received`. */
    readonly transfer?: CheckoutTransfer;
  };
  /** The order's id, and your own keys. */
  readonly metadata: {
    /** The order's id. */
    readonly orderId: string;
    readonly [key: string]: string;
  };
}

/** An event: `event.type` narrows `event.data`. */
export type WebhookEvent = { [Type in EventType]: EventEnvelope & Reported<Type> }[EventType];

/** What is sure of an event of a type. */
interface Reported<Type extends EventType> {
  /** What it reports. */
  readonly type: Type;
  /** What is sure of its data. */
  readonly data: {
    /** What is sure of the payment. */
    readonly checkout: {
      /** What the payment's status can be. */
      readonly status: StatusOf[Type];
    } & (Type extends 'checkout.settled'
      ? {
          /** When it was settled, ISO 8601. */
          readonly settledAt: string;
        }
      : unknown);
  } & (Type extends 'checkout.refunded'
    ? {
        /** What was sent back. */
        readonly refund: CheckoutRefund;
      }
    : unknown) &
    (Type extends 'checkout.funds_received'
      ? {
          /** What came. */
          readonly transfer: CheckoutTransfer;
        }
      : unknown);
}
