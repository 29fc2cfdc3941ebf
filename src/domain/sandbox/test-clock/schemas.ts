import { Type, type Static } from 'typebox';
import { PaymentResource } from '../../payments/schemas.ts';
import { DURATION_PATTERN } from './duration.ts';

export const AdvanceBody = Type.Object(
  { by: Type.String({ pattern: DURATION_PATTERN, description: 'A number and s, m, h or d: "61m".' }) },
  { additionalProperties: false },
);
export type AdvanceBody = Static<typeof AdvanceBody>;

/** One attempt to deliver an event, in the payment's own time. */
export const Delivery = Type.Object({
  at: Type.String({ format: 'date-time' }),
  event_id: Type.String(),
  type: Type.String(),
  sequence: Type.Integer(),
  attempt: Type.Integer(),
  status_code: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  next_attempt_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

export const Advanced = Type.Object({
  now: Type.String({ format: 'date-time', description: "The payment's time." }),
  payment: PaymentResource,
  events: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'What happened on the way, as the webhooks say it.',
  }),
  deliveries: Type.Array(Delivery),
});
