import type { Refusal, VerifyWebhookResult } from './received.ts';

/** What an endpoint with `payload: thin` receives: what has happened, and where the event is. */
export interface ThinEvent {
  /** The event's id: the same in each of its deliveries. */
  readonly id: string;
  /** The event's type, such as `checkout.settled`. */
  readonly type: string;
  /** `GET` it with an API key: it returns the event. */
  readonly link: string;
}

/** What `verifyThinWebhook` found: the thin event, or why the request is refused. */
export type VerifyThinWebhookResult =
  | {
      /** The request is an unaltered and recent thin event of the service. */
      readonly ok: true;
      /** What has happened, and where the event is. */
      readonly event: ThinEvent;
      /** The event's id: the same in each of its deliveries. */
      readonly eventId: string;
    }
  | Refusal;

/** What a verified request is to an endpoint that receives thin events. A whole event is `body_not_event`. */
export function thinResult(verified: VerifyWebhookResult): VerifyThinWebhookResult {
  if (!verified.ok) return verified;
  const { id, type, link } = verified.event as Partial<ThinEvent>;
  if (id !== undefined && type !== undefined && typeof link === 'string')
    return { ok: true, event: { id, type, link }, eventId: id };
  return {
    ok: false,
    reason: 'body_not_event',
    message: 'The signature is good, but the body has no link: the endpoint receives whole events.',
  };
}
