import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { getWebhookSecrets } from './secrets/read.ts';
import { ROTATE_PATH, rotateSecret } from './secrets/rotate.ts';
import { RotateSecretBody, WebhookSecrets } from './secrets/schemas.ts';
import { WebhookConfig, WebhookConfigAndHealth, WebhookConfigBody } from './endpoints/schemas.ts';
import { checkReceiver } from './receiver-check/check.ts';
import type { WebhookClient } from './client/client.ts';
import { changeWebhookConfig, getWebhookConfig } from './endpoints/settings.ts';
import { sendTestEvent } from './receiver-check/test-event.ts';
import {
  ReceiverCheckBody,
  ReceiverCheck,
  TestEventBody,
  TestEventReport,
} from './receiver-check/schemas.ts';

export const webhookEndpoints = [
  endpoint({
    operationId: 'setWebhookConfig',
    method: 'put',
    path: '/v1/webhooks/config',
    summary: 'Sets the URL that receives events, and whether they are sent.',
    description:
      'Both fields are needed; `webhookUrl` may be null while `enabled` is false. Setting it ' +
      'switches an endpoint on again that was switched off. A `callback_url` of a payment overrides ' +
      'the URL, not the switch.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: WebhookConfigBody,
    errors: [],
    response: { status: 200, schema: WebhookConfig },
    handle: async ({ ctx, caller, body }) =>
      reply(200, await changeWebhookConfig(ctx, caller.merchantId, () => body)),
  }),
  endpoint({
    operationId: 'getWebhookConfig',
    method: 'get',
    path: '/v1/webhooks/config',
    summary:
      'Returns the URL that receives events, whether events are sent, and how the last deliveries went.',
    description: '`health` is that of the `webhookUrl`; `GET /v1/webhooks/endpoints` has that of every URL.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: WebhookConfigAndHealth },
    handle: async ({ ctx, caller }) =>
      reply(200, await getWebhookConfig(ctx.db, caller.merchantId, ctx.now())),
  }),
  endpoint({
    operationId: 'getWebhookSecrets',
    method: 'get',
    path: '/v1/webhooks/secrets',
    summary: 'Returns the secret that signs events, and those whose rotation still overlaps.',
    description:
      '`secret` signs `X-Webhook-Signature`. Until they expire the `previous` ones sign `webhook- ' +
      'signature` beside it.',
    auth: 'required',
    permissions: ['webhooks:secrets'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: WebhookSecrets },
    handle: async ({ ctx, caller }) => reply(200, await getWebhookSecrets(ctx, caller.merchantId)),
  }),
  endpoint({
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: ROTATE_PATH,
    summary: 'Puts a new secret in force; the old one still signs beside it until the overlap ends.',
    description:
      'The new secret signs from now on, and is in the response. For `overlap_hours` (default 24) ' +
      'the old one signs `webhook-signature` as well, so that receivers can change without missing ' +
      'an event; 0 ends it at once.',
    auth: 'required',
    // The response holds the secrets.
    permissions: ['webhooks:write', 'webhooks:secrets'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RotateSecretBody,
    errors: [],
    response: { status: 200, schema: WebhookSecrets },
    handle: ({ ctx, caller, body, claim }) => rotateSecret(ctx, caller, body, claim),
  }),
];

/** A receiver check sends ten POSTs or so to a URL that the merchant chooses. */
const EXAMINES_PER_MINUTE = 10;

/** Endpoints that send to the merchant's receiver within the request. */
export const receiverCheckEndpoints = ({ webhooks }: { webhooks: WebhookClient }) => [
  endpoint({
    operationId: 'sendTestEvent',
    method: 'post',
    path: '/v1/webhooks/test',
    summary: 'Sends the receiver one signed event of a payment that does not exist, and returns the outcome.',
    description:
      'The request waits for the receiver, at most 15 s. The event carries the header `X-Webhook- ' +
      'Test: true`, has no payment, and is in no list. Whatever the receiver answers is in the ' +
      'report, with status 200.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: TestEventBody,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: TestEventReport },
    handle: ({ ctx, caller, body, claim }) => sendTestEvent(ctx, caller, { body, claim, client: webhooks }),
  }),
  endpoint({
    operationId: 'examineReceiver',
    method: 'post',
    path: '/v1/webhooks/examine',
    summary: 'Runs the receiver through the cases that receivers get wrong, and returns the outcome of each.',
    description:
      'Sends a series of good, forged, stale and repeated events to the receiver, and says for each ' +
      'what a correct receiver answers and what this one did. Whatever it answers is in the report, ' +
      'with status 200.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: EXAMINES_PER_MINUTE,
    body: ReceiverCheckBody,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: ReceiverCheck },
    handle: ({ ctx, caller, body, claim }) => checkReceiver(ctx, caller, { body, claim, client: webhooks }),
  }),
];
