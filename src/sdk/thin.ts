import { verifyWebhook, type VerifyWebhookOptions, type VerifyWebhookResult } from './verify.ts';

/** What an endpoint with `payload: thin` receives: what has happened, and where the event is. */
export interface ThinEvent {
  readonly id: string;
  readonly type: string;
  /** `GET` it with an API key: it returns the event. */
  readonly link: string;
}

export type VerifyThinWebhookResult =
  | { readonly ok: true; readonly event: ThinEvent; readonly eventId: string }
  | Extract<VerifyWebhookResult, { ok: false }>;

/**
 * Verifies a request as `verifyWebhook` does, for an endpoint that receives thin events. A whole event is
 * `body_not_event`.
 */
export function verifyThinWebhook(options: VerifyWebhookOptions): VerifyThinWebhookResult {
  const verified = verifyWebhook(options);
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
