import type { EventRecord } from '../../outbox/outbox.ts';
import { sampleEvent, samplePayment } from '../../payments/sample.ts';
import type { EventType } from '../../payments/lifecycle/states.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { signWebhook, type SignWebhookOptions } from '../../../sdk/sign.ts';
import { newWebhookSecret } from '../../../platform/secret-box.ts';

/** The cases of a receiver check, in their order. */
export const CASE_NAMES = [
  'good',
  'duplicate',
  'reordered',
  'wrong_signature',
  'missing_signature',
  'stale_timestamp',
  'future_timestamp',
  'altered_body',
  'reformatted_body',
] as const;
export type CaseName = (typeof CASE_NAMES)[number];

/** One more than receivers tolerate (specification, "Webhook timestamp tolerance"). */
const STALE_SECONDS = 301;
/** Still more than receivers tolerate when the request takes a while, or their clock is ahead. */
const FUTURE_SECONDS = 360;

/** Creates one POST at the moment at which it is sent: its timestamp is of then. */
export type CheckRequest = () => {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export interface CheckCase {
  readonly name: CaseName;
  readonly sent: string;
  /** The status class with which a correct receiver responds to each request. */
  readonly expected: '2xx' | '4xx';
  readonly requests: readonly CheckRequest[];
}

/** What signs an event, newest first. */
type Signers = Pick<SignWebhookOptions, 'signingKeys'> & { readonly secrets: readonly string[] };

/**
 * Creates the cases, about sample payments of the merchant. Each request that must be rejected has a new
 * event: a receiver may respond 2xx to an event that it knows already without verifying it.
 */
export function createCheckCases(ctx: Context, caller: Caller, signers: Signers): readonly CheckCase[] {
  const fresh = (type: EventType = 'checkout.settled') => sampleEvent(ctx, samplePayment(ctx, caller), type);
  const sign = (event: EventRecord, by = signers, ageSeconds = 0) =>
    signWebhook({
      eventId: event.id,
      rawBody: event.body,
      ...by,
      now: addSeconds(ctx.systemNow(), -ageSeconds),
    });
  const signed =
    (event: EventRecord): CheckRequest =>
    () => ({ headers: sign(event), body: event.body });
  const altered = (alter: (body: string) => string): CheckRequest => {
    const event = fresh();
    return () => ({ headers: sign(event), body: alter(event.body) });
  };

  const known = fresh();
  const other = samplePayment(ctx, caller);
  const created = sampleEvent(ctx, other, 'checkout.created');
  const pending = sampleEvent(ctx, other, 'checkout.pending');
  const requests: Record<CaseName, readonly CheckRequest[]> = {
    good: [signed(known)],
    duplicate: [signed(known)],
    reordered: [signed(pending), signed(created)],
    wrong_signature: [requestOf(fresh(), (event) => sign(event, { secrets: [newWebhookSecret()] }))],
    missing_signature: [requestOf(fresh(), () => ({}))],
    stale_timestamp: [requestOf(fresh(), (event) => sign(event, signers, STALE_SECONDS))],
    future_timestamp: [requestOf(fresh(), (event) => sign(event, signers, -FUTURE_SECONDS))],
    altered_body: [altered((body) => body.replace('"amount":"25.00"', '"amount":"99.00"'))],
    // Parsed and serialized again it has the bytes that were signed.
    reformatted_body: [altered((body) => body.replaceAll('":', '": '))],
  };
  return CASE_NAMES.map((name) => ({ name, ...DESCRIPTIONS[name], requests: requests[name] }));
}

function requestOf(
  event: EventRecord,
  headersOf: (event: EventRecord) => Record<string, string>,
): CheckRequest {
  return () => ({ headers: headersOf(event), body: event.body });
}

const DESCRIPTIONS: Readonly<Record<CaseName, { sent: string; expected: '2xx' | '4xx' }>> = {
  good: { sent: 'A checkout.settled as the service sends it.', expected: '2xx' },
  duplicate: {
    sent: 'The same event again: same id and same bytes, signed again.',
    expected: '2xx',
  },
  reordered: {
    sent: 'Two events of another payment in the wrong order: sequence 2, then sequence 1.',
    expected: '2xx',
  },
  wrong_signature: { sent: 'A new event, signed with a secret that is not yours.', expected: '4xx' },
  missing_signature: { sent: 'A new event without the headers of a signature.', expected: '4xx' },
  stale_timestamp: {
    sent: `A new event, correctly signed ${STALE_SECONDS} seconds ago.`,
    expected: '4xx',
  },
  future_timestamp: {
    sent: `A new event, signed with a timestamp ${FUTURE_SECONDS} seconds ahead.`,
    expected: '4xx',
  },
  altered_body: { sent: 'A new event whose amount was changed after signing.', expected: '4xx' },
  reformatted_body: {
    sent: 'A new event with spaces added after signing: the same JSON, other bytes.',
    expected: '4xx',
  },
};
