import { endpoint, DEFAULT_PER_MINUTE } from '../api/endpoint.ts';
import { getPayment } from '../payments/lifecycle/store.ts';
import { readFeed } from './feed.ts';
import { getEvent, listPaymentEvents } from './payment-events.ts';
import { listRedeliveryRequests } from '../webhooks/deliveries/redelivery-requests.ts';
import {
  EventFeed,
  EventResource,
  FeedQuery,
  PaymentEvents,
  PaymentEventsQuery,
  Redeliveries,
  RedeliveriesQuery,
} from './schemas.ts';

/** A receiver of thin events reads each of them. */
const EVENT_PER_MINUTE = 600;

export const eventEndpoints = [
  endpoint({
    operationId: 'readEvents',
    method: 'get',
    path: '/v1/events',
    summary:
      "Reads the merchant's events of the last 90 days, oldest first and without gaps, from a cursor on.",
    description:
      'Every event of every payment, each exactly once, however long the reader was away: begin ' +
      'without `after`, and pass the `next_cursor` of each page on. The events are the same bytes ' +
      'as those that webhooks send. Use it to find what a receiver has missed.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: FeedQuery,
    errors: [],
    response: { status: 200, schema: EventFeed },
    handle: ({ ctx, caller, query }) => readFeed(ctx, caller.merchantId, query),
  }),
  endpoint({
    operationId: 'listRedeliveries',
    method: 'get',
    path: '/v1/events/redeliveries',
    summary:
      'Lists the events that were asked to be delivered again within the last day, oldest request first.',
    description:
      'What `POST /v1/webhooks/deliveries/:id/redeliver` and `POST /v1/webhooks/redeliver` restarted, for ' +
      'those who read the feed in place of webhooks. Pass the `next_cursor` of each page on. The events ' +
      'are the same bytes as those that webhooks send.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: RedeliveriesQuery,
    errors: [],
    response: { status: 200, schema: Redeliveries },
    handle: ({ ctx, caller, query }) => listRedeliveryRequests(ctx.db, caller.merchantId, query),
  }),
  endpoint({
    operationId: 'getEvent',
    method: 'get',
    path: '/v1/events/:id',
    summary: 'Returns one event of the last 90 days.',
    description: 'The same bytes as the webhook has. It is what the `link` of a thin event names.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: EVENT_PER_MINUTE,
    errors: ['event_not_found'],
    response: { status: 200, schema: EventResource },
    handle: ({ ctx, caller, params }) => getEvent(ctx.db, caller.merchantId, params.id ?? ''),
  }),
  endpoint({
    operationId: 'listPaymentEvents',
    method: 'get',
    path: '/v1/payment/:id/events',
    summary: "Lists a payment's events of the last 90 days, in the order of their sequence.",
    description:
      'The events of one payment, the first of them first. The events are the same bytes as those ' +
      'that webhooks send.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: PaymentEventsQuery,
    errors: ['payment_not_found'],
    response: { status: 200, schema: PaymentEvents },
    async handle({ ctx, caller, params, query }) {
      const payment = await getPayment(ctx.db, caller.merchantId, params.id ?? '');
      return listPaymentEvents(ctx.db, payment.id, query);
    },
  }),
];
