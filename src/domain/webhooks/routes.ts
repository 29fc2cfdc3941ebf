import { DEFAULT_PER_MINUTE, endpoint, reply } from '../../platform/endpoint.ts';
import { getWebhookSecrets } from './secrets/read.ts';
import { ROTATE_PATH, rotateSecret } from './secrets/rotate.ts';
import { RotateSecretBody, WebhookSecrets } from './secrets/schemas.ts';
import { WebhookConfig, WebhookConfigAndHealth, WebhookConfigBody } from './endpoints/schemas.ts';
import { checkReceiver } from './receiver-check/check.ts';
import type { WebhookClient } from './client/client.ts';
import { getWebhookConfig, setWebhookConfig } from './endpoints/settings.ts';
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
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: DEFAULT_PER_MINUTE,
    body: WebhookConfigBody,
    response: { status: 200, schema: WebhookConfig },
    handle: async ({ ctx, caller, body }) =>
      reply(200, await setWebhookConfig(ctx.db, caller.merchantId, body, ctx.now())),
  }),
  endpoint({
    operationId: 'getWebhookConfig',
    method: 'get',
    path: '/v1/webhooks/config',
    summary:
      'Returns the URL that receives events, whether events are sent, and how the last deliveries went.',
    auth: 'required',
    permission: 'webhooks:read',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 200, schema: WebhookConfigAndHealth },
    handle: async ({ ctx, caller }) =>
      reply(200, await getWebhookConfig(ctx.db, caller.merchantId, ctx.now())),
  }),
  endpoint({
    operationId: 'getWebhookSecrets',
    method: 'get',
    path: '/v1/webhooks/secrets',
    summary: 'Returns the secret that signs events, and those whose rotation still overlaps.',
    auth: 'required',
    permission: 'webhooks:secrets',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 200, schema: WebhookSecrets },
    handle: async ({ ctx, caller }) => reply(200, await getWebhookSecrets(ctx, caller.merchantId)),
  }),
  endpoint({
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: ROTATE_PATH,
    summary: 'Puts a new secret in force; the old one still signs beside it until the overlap ends.',
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: DEFAULT_PER_MINUTE,
    body: RotateSecretBody,
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
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: DEFAULT_PER_MINUTE,
    body: TestEventBody,
    response: { status: 200, schema: TestEventReport },
    handle: ({ ctx, caller, body, claim }) => sendTestEvent(ctx, caller, { body, claim, client: webhooks }),
  }),
  endpoint({
    operationId: 'examineReceiver',
    method: 'post',
    path: '/v1/webhooks/examine',
    summary: 'Runs the receiver through the cases that receivers get wrong, and returns the outcome of each.',
    auth: 'required',
    permission: 'webhooks:write',
    perMinute: EXAMINES_PER_MINUTE,
    body: ReceiverCheckBody,
    response: { status: 200, schema: ReceiverCheck },
    handle: ({ ctx, caller, body, claim }) => checkReceiver(ctx, caller, { body, claim, client: webhooks }),
  }),
];
