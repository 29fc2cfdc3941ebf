// Written by `npm run types:sdk`, from the schemas of the service.

import type { EventType } from '../../event-types.ts';

export interface ListDeliveries {
  /** How many a page holds at most. */
  limit?: number | undefined;
  /** next_cursor of the page before. */
  cursor?: string | undefined;
  /** Only those of this payment. */
  payment_id?: string | undefined;
  /** Only those of this event. */
  event_id?: string | undefined;
  /** Only those to this registered endpoint. */
  endpoint_id?: string | undefined;
  /** One status, or several separated by commas. */
  status?: readonly ('pending' | 'delivered' | 'failed')[] | undefined;
  /** One event type, or several separated by commas. */
  type?: readonly EventType[] | undefined;
  /** Only events from this date or time on (ISO 8601), inclusive; after to_date it is a 400. */
  from_date?: string | undefined;
  /** Only events up to this date or time, inclusive; a bare date is the whole UTC day. */
  to_date?: string | undefined;
}

export interface Delivery {
  /** Delivery identifier. */
  id: string;
  /** The event that is delivered. */
  event_id: string;
  /** Its type. */
  type: string;
  /** Its payment. */
  payment_id: string;
  /** The registered endpoint; null: the webhookUrl, or the callback_url of the payment. */
  endpoint_id: string | null;
  /** The event's number of its payment. */
  sequence: number;
  /** pending: it will be tried (again). */
  status: 'pending' | 'delivered' | 'failed';
  /** Null: it has not failed for good. */
  failed_because: 'retries_exhausted' | 'webhooks_disabled' | 'endpoint_switched_off' | null;
  /** How often it was tried so far. */
  attempts: number;
  /** In the past while webhooks are disabled: it waits for them. */
  next_attempt_at: string | null;
  /** When the event was dispatched. */
  created_at: string;
  /** Null while it is pending. */
  finished_at: string | null;
  /** Of the last attempt; null without a response. */
  last_status_code: number | null;
  /** Of the last attempt; null: none, or 2xx. */
  last_error: DeliveryError;
}

export interface DeliveryList {
  /** The rows of the page. */
  data: readonly Delivery[];
  /** Where the page ends, and the next begins. */
  pagination: CursorPagination;
}

export type DeliveryError =
  | 'url'
  | 'dns'
  | 'address_blocked'
  | 'port_blocked'
  | 'connect_refused'
  | 'connect_unreachable'
  | 'connect_reset'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'status'
  | 'interrupted'
  | 'internal'
  | null;

export interface DeliveryAttempt {
  /** 1 for the first attempt. */
  number: number;
  /** When it began. */
  at: string;
  /** Where the event was sent. */
  url: string;
  /** The IP address that was connected to. */
  address: string | null;
  /** Null without a response. */
  status_code: number | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** Why it failed; null: answered 2xx. */
  error: DeliveryError;
  /** The same, in words. */
  error_detail: string | null;
  /** The first 1 kB of the response body. */
  response_excerpt: string | null;
  /** Null: there is none. */
  next_attempt_at: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  /** Every attempt, oldest first. */
  log: readonly DeliveryAttempt[];
}

export interface Redeliver {
  /**
   * listeners: the delivery stays as it is, and only GET /v1/events/redeliveries shows the request,
   * also while webhooks are off.
   */
  to?: 'receiver' | 'listeners' | undefined;
}

export interface RedeliverRange {
  /**
   * failed: events that retries did not deliver, or of a time with webhooks off; all: every event.
   */
  which?: 'failed' | 'all' | undefined;
  /** Only events from this date or time on (ISO 8601), inclusive; after to_date it is a 400. */
  from_date: string;
  /** Only events up to this date or time, inclusive; a bare date is the whole UTC day. */
  to_date?: string | undefined;
  /** Only to this endpoint; also what was recorded before it was registered. */
  endpoint_id?: string | undefined;
}

export interface RedeliverReport {
  /** How many events will be delivered (again). */
  count: number;
  /** When the last of them is due; null: there is none. */
  done_by: string | null;
  /**
   * How many others stay as they are, because their endpoint is switched off; absent: none. GET
   * /v1/webhooks/endpoints lists it, POST /v1/webhooks/endpoints/enable switches it on.
   */
  switched_off?: number | undefined;
}

export interface CursorPagination {
  /** How many a page holds at most. */
  limit: number;
  /** Whether another page follows. */
  has_more: boolean;
  /** Null on the last page. */
  next_cursor: string | null;
}
