// Written by `npm run types:sdk`, from the schemas of the service.

import type { CursorPagination } from './deliveries.ts';
import type { EventType, WebhookEvent } from '../../event-types.ts';

export interface ListEvents {
  /**
   * next_cursor of the page before, with the same type and payment_id, or the id of an event;
   * default: the oldest event.
   */
  after?: string | undefined;
  /** One type, or several separated by commas. */
  type?: readonly EventType[] | undefined;
  /** Only events of this payment. */
  payment_id?: string | undefined;
  /** How many a page holds at most. */
  limit?: number | undefined;
}

export interface EventList {
  /** Oldest first; the very bytes that webhooks send. */
  data: readonly WebhookEvent[];
  /** Where the page ends, and the next begins. */
  pagination: {
    /** How many a page holds at most. */
    limit: number;
    /**
     * Whether to ask for the next page at once. A page may then be short, when it is large, or, with
     * type, empty.
     */
    has_more: boolean;
    /**
     * Where to go on, now or later: given on the last page, too. Null only while the feed is empty.
     */
    next_cursor: string | null;
  };
}

export interface ListPaymentEvents {
  /** next_cursor of the page before; default: the first event. */
  cursor?: string | undefined;
  /** How many a page holds at most. */
  limit?: number | undefined;
}

export interface PaymentEventList {
  /**
   * In the order of sequence; the very bytes that webhooks send. A page may end before its limit,
   * when it is large.
   */
  data: readonly WebhookEvent[];
  /** Where the page ends, and the next begins. */
  pagination: CursorPagination;
}

export interface ListRedeliveries {
  /** next_cursor of the page before; default: the oldest request. */
  after?: string | undefined;
  /** How many a page holds at most. */
  limit?: number | undefined;
}

export interface Redelivery {
  /** When the merchant asked for it. */
  requested_at: string;
  /** The event. */
  event: WebhookEvent;
}

export interface RedeliveryList {
  /** In the order of the requests. */
  data: readonly Redelivery[];
  /** Where the page ends, and the next begins. */
  pagination: {
    /** How many a page holds at most. */
    limit: number;
    /** Whether to ask for the next page at once. */
    has_more: boolean;
    /**
     * Where to go on, now or later: given on the last page, too. Null only while the list is empty.
     */
    next_cursor: string | null;
  };
}
