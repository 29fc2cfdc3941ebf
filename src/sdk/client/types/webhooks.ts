// Written by `npm run types:sdk`, from the schemas of the service.

import type { CursorPagination } from './deliveries.ts';
import type { EventType } from '../../event-types.ts';

export interface SetWebhookConfig {
  /** URL that receives webhook events. */
  webhookUrl: string | null;
  /** Whether webhooks are sent; true needs a webhookUrl. */
  enabled: boolean;
}

export interface WebhookConfig {
  /** URL that receives webhook events; null: none is set. */
  webhookUrl: string | null;
  /** Whether webhooks are sent. */
  enabled: boolean;
  /** When it was set. */
  updatedAt: string;
}

export interface EndpointHealth {
  /**
   * unused: there is no URL. untested: nothing was sent since it was set or switched on. paused: it
   * keeps failing, so only a probe is sent from time to time. switched_off: it answered 410, or did
   * nothing but fail for 5 days; PUT /v1/webhooks/config or POST /v1/webhooks/endpoints/enable
   * switches it on again.
   */
  state: 'unused' | 'untested' | 'healthy' | 'failing' | 'paused' | 'switched_off';
  /** Null: nothing was delivered yet. */
  lastSuccessAt: string | null;
  /** Null: no attempt has failed. */
  lastFailureAt: string | null;
  /**
   * Share of attempts that failed, 0 to 1: of those for events of the last 24 hours (of all endpoints
   * the newest 2,000), since the endpoint was set or switched on. Null: there was none.
   */
  failureRate: number | null;
  /** Null: it is not switched off. */
  switchedOffAt: string | null;
  /** gone: it answered 410. */
  switchedOffBecause: 'gone' | 'failing' | null;
}

export interface WebhookConfigAndHealth extends WebhookConfig {
  /** How its last deliveries went. */
  health: EndpointHealth;
}

export interface RotateSecret {
  /**
   * How long the secret that was in force still signs webhook-signature; 0: it and all older ones end
   * at once.
   */
  overlap_hours?: number | undefined;
}

export interface WebhookSecrets {
  /** The secret in force: it signs X-Webhook-Signature. */
  secret: string;
  /** Since when it is in force. */
  created_at: string;
  /** Rotated secrets that still sign webhook-signature, until they expire. */
  previous: readonly {
    /** An older secret. */
    secret: string;
    /** Until when it signs. */
    expires_at: string;
  }[];
}

export interface ListEndpoints {
  /** How many a page holds at most. */
  limit?: number | undefined;
  /** next_cursor of the page before. */
  cursor?: string | undefined;
  /** failing: the latest attempts failed, whether or not it is switched off. */
  state?: 'failing' | 'switched_off' | undefined;
}

export interface WebhookEndpoint {
  /** Of a registered endpoint; null: the webhookUrl, or a callback_url. */
  id: string | null;
  /** As registered; the webhookUrl; or a callback_url up to its query. */
  url: string | null;
  /** Whether it is the webhookUrl. */
  default: boolean;
  /** Whether the merchant lets events be sent there. */
  enabled: boolean;
  /** The types that it receives; null: all. */
  event_types: readonly EventType[] | null;
  /** A note for people. */
  description: string | null;
  /** Whether it receives whole events, or links to them. */
  payload: 'full' | 'thin';
  /** When it was registered; null: it was not. */
  created_at: string | null;
  /** How its last deliveries went. */
  health: EndpointHealth;
}

export interface WebhookEndpointList {
  /** The rows of the page. */
  data: readonly WebhookEndpoint[];
  /** Where the page ends, and the next begins. */
  pagination: CursorPagination;
}

export interface EnableEndpoint {
  /** A callback_url, with or without its query; without it and id: the webhookUrl. */
  url?: string | undefined;
  /** A registered endpoint. */
  id?: string | undefined;
}

export interface SendTestEvent {
  /** Default: checkout.settled. */
  type?: EventType | undefined;
  /** The receiver; default: the webhookUrl that is set, whether or not it is enabled. */
  url?: string | undefined;
  /** A registered endpoint: its URL, unless `url` names another one, and its secrets. */
  endpoint_id?: string | undefined;
}

export interface TestEventReport {
  /** The body that was sent. */
  event: {
    /** Event identifier. */
    id: string;
    /** The type that was asked for. */
    type: EventType;
    [key: string]: unknown;
  };
  /** The receiver. */
  url: string;
  /** Answered 2xx. */
  delivered: boolean;
  /** The status of the response; null without one. */
  status_code: number | null;
  /** Why the response is not a 2xx; null when it is. */
  error: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** The beginning of the response body. */
  response_excerpt: string | null;
}

export interface ExamineReceiver {
  /** The receiver; default: the webhookUrl that is set, whether or not it is enabled. */
  url?: string | undefined;
  /** A registered endpoint: its URL, unless `url` names another one, and its secrets. */
  endpoint_id?: string | undefined;
}

export interface CaseReport {
  /** What was tried. */
  case:
    | 'good'
    | 'duplicate'
    | 'reordered'
    | 'wrong_signature'
    | 'missing_signature'
    | 'stale_timestamp'
    | 'future_timestamp'
    | 'altered_body'
    | 'reformatted_body';
  /** What was sent, in words. */
  sent: string;
  /** The status class of a correct receiver. */
  expected: '2xx' | '4xx';
  /** The status of the response; null without one. */
  status_code: number | null;
  /** Why the response is not a 2xx; null when it is. */
  error: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** A response took 2 seconds or longer. */
  slow: boolean;
  /** The status is of the expected class. */
  passed: boolean;
  /** What the response shows about the receiver; null when the case is passed in time. */
  advice: string | null;
}

export interface ReceiverCheck {
  /** The receiver. */
  url: string;
  /** Every case was run, and passed. */
  passed: boolean;
  /** Some response took 2 seconds or longer, which does not fail a case. */
  slow: boolean;
  /** The outcome in one sentence. */
  summary: string;
  /** In the order in which they were run; fewer than all when the receiver cannot be reached. */
  cases: readonly CaseReport[];
}
