import { DEFAULT_PER_MINUTE, endpoint, reply } from '../../platform/endpoint.ts';
import { listDeliveries } from './deliveries/list.ts';
import { getDelivery } from './deliveries/read.ts';
import {
  DeliveryList,
  DeliveryWithAttempts,
  ListDeliveriesQuery,
  RedeliverAnswer,
  RedeliverBody,
} from './deliveries/schemas.ts';
import { redeliver } from './deliveries/redeliver.ts';
import { redeliverRange } from './deliveries/redeliver-range.ts';

export const deliveryEndpoints = [
  endpoint({
    operationId: 'listDeliveries',
    method: 'get',
    path: '/v1/webhooks/deliveries',
    summary: "Lists the merchant's webhook deliveries of the last 30 days, newest first.",
    auth: 'required',
    permission: 'webhooks:read',
    perMinute: DEFAULT_PER_MINUTE,
    query: ListDeliveriesQuery,
    response: { status: 200, schema: DeliveryList },
    handle: async ({ ctx, caller, query }) =>
      reply(200, await listDeliveries(ctx.db, caller.merchantId, query)),
  }),
  endpoint({
    operationId: 'getDelivery',
    method: 'get',
    path: '/v1/webhooks/deliveries/:id',
    summary: 'Returns a delivery with every attempt.',
    auth: 'required',
    permission: 'webhooks:read',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 200, schema: DeliveryWithAttempts },
    handle: async ({ ctx, caller, params }) =>
      reply(200, await getDelivery(ctx.db, caller.merchantId, params.id ?? '')),
  }),
  endpoint({
    operationId: 'redeliver',
    method: 'post',
    path: '/v1/webhooks/deliveries/:id/redeliver',
    summary: 'Delivers an event again, in any status of its delivery.',
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 202, schema: DeliveryWithAttempts },
    handle: ({ ctx, caller, params, claim }) => redeliver(ctx, caller, params.id ?? '', claim),
  }),
  endpoint({
    operationId: 'redeliverRange',
    method: 'post',
    path: '/v1/webhooks/redeliver',
    summary: 'Delivers the failed events, or all, of a time range again.',
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: DEFAULT_PER_MINUTE,
    body: RedeliverBody,
    response: { status: 202, schema: RedeliverAnswer },
    handle: ({ ctx, caller, body, claim }) => redeliverRange(ctx, caller, body, claim),
  }),
];
