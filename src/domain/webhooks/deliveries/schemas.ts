import { Type, type Static } from 'typebox';
import { cursor, CursorPagination, id, nullable, timestamp, PageLimit } from '../../api/schemas.ts';
import { EVENT_TYPES } from '../../payments/lifecycle/states.ts';
import { DELIVERY_ERROR_CLASSES } from '../client/delivery-error.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
/**
 * Why a delivery will not be tried any more. Without an attempt: why its event was recorded and never sent.
 */
const FAILURE_REASONS = ['retries_exhausted', 'webhooks_disabled', 'endpoint_switched_off'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

const date = (description: string) => Type.Optional(Type.String({ format: 'date-or-time', description }));
const FROM = 'Only events from this date or time on (ISO 8601), inclusive; after to_date it is a 400.';
const TO = 'Only events up to this date or time, inclusive; a bare date is the whole UTC day.';

export const ListDeliveriesQuery = Type.Object(
  {
    limit: PageLimit,
    cursor: Type.Optional(cursor('next_cursor of the page before.')),
    payment_id: Type.Optional(id('pay', 'Only those of this payment.')),
    event_id: Type.Optional(id('evt', 'Only those of this event.')),
    endpoint_id: Type.Optional(id('whe', 'Only those to this registered endpoint.')),
    status: Type.Optional(
      Type.Array(Type.Enum([...DELIVERY_STATUSES]), {
        minItems: 1,
        description: 'One status, or several separated by commas.',
      }),
    ),
    type: Type.Optional(
      Type.Array(Type.Enum([...EVENT_TYPES]), {
        minItems: 1,
        description: 'One event type, or several separated by commas.',
      }),
    ),
    from_date: date(FROM),
    to_date: date(TO),
  },
  { additionalProperties: false },
);
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>;

const fields = {
  id: Type.String({ description: 'Delivery identifier.' }),
  event_id: Type.String({ description: 'The event that is delivered.' }),
  type: Type.String({ description: 'Its type.' }),
  payment_id: Type.String({ description: 'Its payment.' }),
  endpoint_id: nullable(
    Type.String(),
    'The registered endpoint; null: the webhookUrl, or the callback_url of the payment.',
  ),
  sequence: Type.Integer({ description: "The event's number of its payment." }),
  status: Type.Enum([...DELIVERY_STATUSES], { description: 'pending: it will be tried (again).' }),
  failed_because: nullable(Type.Enum([...FAILURE_REASONS]), 'Null: it has not failed for good.'),
  attempts: Type.Integer({ description: 'How often it was tried so far.' }),
  next_attempt_at: nullable(timestamp(), 'In the past while webhooks are disabled: it waits for them.'),
  created_at: timestamp('When the event was dispatched.'),
  finished_at: nullable(timestamp(), 'Null while it is pending.'),
  last_status_code: nullable(Type.Integer(), 'Of the last attempt; null without a response.'),
  last_error: nullable(Type.Enum([...DELIVERY_ERROR_CLASSES]), 'Of the last attempt; null: none, or 2xx.'),
};
export const Delivery = Type.Object(fields);
export type Delivery = Static<typeof Delivery>;

export const Attempt = Type.Object({
  number: Type.Integer({ description: '1 for the first attempt.' }),
  at: timestamp('When it began.'),
  url: Type.String({ description: 'Where the event was sent.' }),
  address: nullable(Type.String({ description: 'The IP address that was connected to.' })),
  status_code: nullable(Type.Integer(), 'Null without a response.'),
  duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
  error: nullable(Type.Enum([...DELIVERY_ERROR_CLASSES]), 'Why it failed; null: answered 2xx.'),
  error_detail: nullable(Type.String(), 'The same, in words.'),
  response_excerpt: nullable(Type.String({ description: 'The first 1 kB of the response body.' })),
  next_attempt_at: nullable(timestamp(), 'Null: there is none.'),
});

export const DeliveryWithAttempts = Type.Object({
  ...fields,
  log: Type.Array(Attempt, { description: 'Every attempt, oldest first.' }),
});
export type DeliveryWithAttempts = Static<typeof DeliveryWithAttempts>;

export const DeliveryList = Type.Object({
  data: Type.Array(Delivery),
  pagination: CursorPagination,
});
export type DeliveryList = Static<typeof DeliveryList>;

export const RedeliverOneBody = Type.Object(
  {
    to: Type.Optional(
      Type.Enum(['receiver', 'listeners'], {
        default: 'receiver',
        description:
          'listeners: the delivery stays as it is, and only GET /v1/events/redeliveries shows the request, ' +
          'also while webhooks are off.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type RedeliverOneBody = Static<typeof RedeliverOneBody>;

export const RedeliverBody = Type.Object(
  {
    which: Type.Optional(
      Type.Enum(['failed', 'all'], {
        default: 'failed',
        description:
          'failed: events that retries did not deliver, or of a time with webhooks off; all: every event.',
      }),
    ),
    from_date: Type.String({ format: 'date-or-time', description: FROM }),
    to_date: date(TO),
    endpoint_id: Type.Optional(
      id('whe', 'Only to this endpoint; also what was recorded before it was registered.'),
    ),
  },
  { additionalProperties: false },
);
export type RedeliverBody = Static<typeof RedeliverBody>;

export const RedeliverReport = Type.Object({
  count: Type.Integer({ description: 'How many events will be delivered (again).' }),
  done_by: nullable(timestamp('When the last of them is due; null: there is none.')),
  switched_off: Type.Optional(
    Type.Integer({
      description:
        'How many others stay as they are, because their endpoint is switched off; absent: none. ' +
        'GET /v1/webhooks/endpoints lists it, POST /v1/webhooks/endpoints/enable switches it on.',
    }),
  ),
});
export type RedeliverReport = Static<typeof RedeliverReport>;
