import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { readCurrent } from '../../platform/replica.ts';
import { listDeliveries } from './deliveries/list.ts';
import { getDelivery } from './deliveries/read.ts';
import {
  DeliveryList,
  DeliveryWithAttempts,
  ListDeliveriesQuery,
  RedeliverReport,
  RedeliverBody,
  RedeliverOneBody,
} from './deliveries/schemas.ts';
import { redeliver } from './deliveries/redeliver.ts';
import { redeliverRange } from './deliveries/range/redeliver-range.ts';

export const deliveryEndpoints = [
  endpoint({
    operationId: 'listDeliveries',
    method: 'get',
    path: '/v1/webhooks/deliveries',
    summary: "Lists the merchant's webhook deliveries of the last 30 days, newest first.",
    description:
      'One delivery for each event and endpoint, sent or not: `failed_because` says why one will not ' +
      'be tried any more.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: ListDeliveriesQuery,
    errors: [],
    response: { status: 200, schema: DeliveryList },
    handle: async ({ ctx, caller, query }) =>
      reply(200, await readCurrent(ctx, (db) => listDeliveries(db, caller.merchantId, query))),
  }),
  endpoint({
    operationId: 'getDelivery',
    method: 'get',
    path: '/v1/webhooks/deliveries/:id',
    summary: 'Returns a delivery with every attempt.',
    description: 'Each attempt with its URL, address, status, duration, and the beginning of the response.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['delivery_not_found'],
    response: { status: 200, schema: DeliveryWithAttempts },
    handle: async ({ ctx, caller, params }) =>
      reply(200, await getDelivery(ctx.db, caller.merchantId, params.id ?? '')),
  }),
  endpoint({
    operationId: 'redeliver',
    method: 'post',
    path: '/v1/webhooks/deliveries/:id/redeliver',
    summary: 'Delivers an event again, in any status of its delivery.',
    description:
      'It is due at once, with the same id and body, and retried like a new event. The response ' +
      'does not wait for the receiver. `GET /v1/events/redeliveries` shows the request to listeners.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RedeliverOneBody,
    errors: ['delivery_not_found', 'webhooks_off', 'endpoint_off'],
    response: { status: 202, schema: DeliveryWithAttempts },
    handle: ({ ctx, caller, params, body, claim }) =>
      redeliver(ctx, caller, { ...body, id: params.id ?? '', claim }),
  }),
  endpoint({
    operationId: 'redeliverRange',
    method: 'post',
    path: '/v1/webhooks/redeliver',
    summary: 'Delivers the failed events, or all, of a time range again.',
    description:
      'Deliveries are spread over time: `done_by` says when the last one is due. With `which: all` ' +
      'also those that were delivered. The response does not wait for the receiver.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RedeliverBody,
    errors: ['endpoint_not_found', 'webhooks_off', 'endpoint_off'],
    response: { status: 202, schema: RedeliverReport },
    handle: ({ ctx, caller, body, claim }) => redeliverRange(ctx, caller, body, claim),
  }),
];
