import { endpoint, DEFAULT_PER_MINUTE } from '../../platform/endpoint.ts';
import { getPayment } from '../payments/lifecycle/store.ts';
import { readFeed } from './feed.ts';
import { listPaymentEvents } from './payment-events.ts';
import { EventFeed, FeedQuery, PaymentEvents, PaymentEventsQuery } from './schemas.ts';

export const eventEndpoints = [
  endpoint({
    operationId: 'readEvents',
    method: 'get',
    path: '/v1/events',
    summary:
      "Reads the merchant's events of the last 90 days, oldest first and without gaps, from a cursor on.",
    auth: 'required',
    permission: 'payments:read',
    perMinute: DEFAULT_PER_MINUTE,
    query: FeedQuery,
    response: { status: 200, schema: EventFeed },
    handle: ({ ctx, caller, query }) => readFeed(ctx.db, caller.merchantId, query),
  }),
  endpoint({
    operationId: 'listPaymentEvents',
    method: 'get',
    path: '/v1/payment/:id/events',
    summary: "Lists a payment's events of the last 90 days, in the order of their sequence.",
    auth: 'required',
    permission: 'payments:read',
    perMinute: DEFAULT_PER_MINUTE,
    query: PaymentEventsQuery,
    response: { status: 200, schema: PaymentEvents },
    async handle({ ctx, caller, params, query }) {
      const payment = await getPayment(ctx.db, caller.merchantId, params.id ?? '');
      return listPaymentEvents(ctx.db, payment.id, query);
    },
  }),
];
