import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { enableEndpoint } from './endpoint-list/enable.ts';
import { listEndpoints } from './endpoint-list/list.ts';
import {
  EnableEndpointBody,
  ListEndpointsQuery,
  WebhookEndpoint,
  WebhookEndpointList,
} from './endpoint-list/schemas.ts';

export const webhookEndpointEndpoints = [
  endpoint({
    operationId: 'listWebhookEndpoints',
    method: 'get',
    path: '/v1/webhooks/endpoints',
    summary: 'Lists the URLs that receive events, the webhookUrl first, and how their last deliveries went.',
    description:
      'The `webhookUrl`, and each `callback_url` of a payment up to its query, with the health of ' +
      'each. `state` selects those that fail or are switched off.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: ListEndpointsQuery,
    errors: [],
    response: { status: 200, schema: WebhookEndpointList },
    handle: async ({ ctx, caller, query }) =>
      reply(200, await listEndpoints(ctx.db, caller.merchantId, query, ctx.now())),
  }),
  endpoint({
    operationId: 'enableWebhookEndpoint',
    method: 'post',
    path: '/v1/webhooks/endpoints/enable',
    summary: 'Switches an endpoint on again that was switched off, and forgets its failures.',
    description:
      'An endpoint that answered 410, or only failed for days, is switched off. What was not sent ' +
      'meanwhile is delivered on request: `POST /v1/webhooks/redeliver`. Without `url` it is the ' +
      '`webhookUrl`.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: EnableEndpointBody,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: WebhookEndpoint },
    handle: ({ ctx, caller, body, claim }) => enableEndpoint(ctx, caller, body, claim),
  }),
];
