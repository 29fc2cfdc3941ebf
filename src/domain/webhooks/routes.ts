import { DEFAULT_PER_MINUTE, endpoint, reply } from '../../platform/endpoint.ts';
import { ROTATE_PATH, rotateSecret, RotateSecretBody } from './rotate.ts';
import { WebhookConfig, WebhookConfigBody, WebhookSecrets } from './schemas.ts';
import { getWebhookConfig, getWebhookSecrets, setWebhookConfig } from './settings.ts';

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
    summary: 'Answers the URL that receives events, and whether they are sent.',
    auth: 'required',
    permission: 'webhooks:read',
    perMinute: DEFAULT_PER_MINUTE,
    response: { status: 200, schema: WebhookConfig },
    handle: async ({ ctx, caller }) => reply(200, await getWebhookConfig(ctx.db, caller.merchantId)),
  }),
  endpoint({
    operationId: 'getWebhookSecrets',
    method: 'get',
    path: '/v1/webhooks/secrets',
    summary: 'Answers the secret that signs events, and those whose rotation still overlaps.',
    auth: 'required',
    permission: 'webhooks:read',
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
