import { Type, type Static } from 'typebox';
import { PaymentResource } from '../../payments/schemas.ts';
import { nullable, timestamp } from '../../api/schemas.ts';
import { DURATION_PATTERN } from '../../api/patterns.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export const AdvanceBody = Type.Object(
  { by: Type.String({ pattern: DURATION_PATTERN, description: 'A number and s, m, h or d: "61m".' }) },
  { additionalProperties: false },
);
export type AdvanceBody = Static<typeof AdvanceBody>;

/** One attempt to deliver an event, in the time of the payment's test clock. */
export const DeliveryAttempt = Type.Object({
  at: timestamp("In the payment's time."),
  event_id: Type.String({ description: 'The event that was sent.' }),
  type: Type.String({ description: 'Its type.' }),
  sequence: Type.Integer({ description: "The event's number of its payment." }),
  attempt: Type.Integer({ description: '1 for the first attempt.' }),
  status_code: nullable(Type.Integer(), 'Null without a response.'),
  error: nullable(Type.String(), 'Why it failed; null: it did not.'),
  next_attempt_at: nullable(timestamp(), 'Null: there is none.'),
});

export const AdvanceResult = Type.Object({
  now: timestamp("The payment's time."),
  payment: PaymentResource,
  events: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'What happened on the way, as the webhooks say it.',
  }),
  deliveries: Type.Array(DeliveryAttempt, { description: 'Every attempt to deliver one.' }),
});

/** Seconds of a duration that matches DURATION_PATTERN. Throws RangeError for other text. */
export function secondsOf(duration: string): number {
  const unit = duration.slice(-1);
  if (!new RegExp(DURATION_PATTERN).test(duration) || !isUnit(unit))
    throw new RangeError(`not a duration: ${duration}`);
  return Number(duration.slice(0, -1)) * SECONDS[unit];
}

function isUnit(unit: string): unit is keyof typeof SECONDS {
  return Object.hasOwn(SECONDS, unit);
}
