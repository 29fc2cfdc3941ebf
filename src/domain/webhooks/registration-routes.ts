import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { getEndpoint } from './endpoint-list/list.ts';
import { WebhookEndpoint } from './endpoint-list/schemas.ts';
import { changeEndpoint, registerEndpoint } from './registrations/change.ts';
import { readRegistration } from './endpoints/registration.ts';
import { removeEndpoint } from './registrations/remove.ts';
import { EndpointSettings } from './registrations/schemas.ts';
import { getWebhookSecrets } from './secrets/read.ts';
import { rotateSecret } from './secrets/rotate.ts';
import { RotateSecretBody, WebhookSecrets } from './secrets/schemas.ts';
import { ENDPOINT_SECRETS } from './secrets/store.ts';

const PATH = '/v1/webhooks/endpoints/:id';

export const registrationEndpoints = [
  endpoint({
    operationId: 'registerWebhookEndpoint',
    method: 'post',
    path: '/v1/webhooks/endpoints',
    summary: 'Registers a further URL that receives events, with a secret of its own.',
    description:
      'Beside the `webhookUrl`, or the `callback_url` of a payment, it receives every event, or those of ' +
      '`event_types`, that is recorded from now on. `POST /v1/webhooks/redeliver` with its id sends earlier ones. ' +
      '`GET /v1/webhooks/endpoints/:id/secrets` has its secret. A merchant has at most 100, 10 of them at one origin.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: EndpointSettings,
    errors: ['too_many_endpoints'],
    response: { status: 201, schema: WebhookEndpoint },
    handle: ({ ctx, caller, body, claim }) => registerEndpoint(ctx, caller, body, claim),
  }),
  endpoint({
    operationId: 'getWebhookEndpoint',
    method: 'get',
    path: PATH,
    summary: 'Returns a registered endpoint and its health.',
    description:
      'The `webhookUrl` and callback URLs have no id: `GET /v1/webhooks/endpoints` lists them too.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: WebhookEndpoint },
    async handle({ ctx, caller: { merchantId }, params }) {
      const { id } = await readRegistration(ctx.db, merchantId, params.id ?? '');
      return reply(200, await getEndpoint(ctx.db, merchantId, id, ctx.now()));
    },
  }),
  endpoint({
    operationId: 'setWebhookEndpoint',
    method: 'put',
    path: PATH,
    summary: 'Sets all settings of a registered endpoint.',
    description:
      'What is left out takes its default. It switches an endpoint on again that was switched off. With ' +
      '`enabled: false` what is pending waits, and new events are recorded and not sent.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: EndpointSettings,
    errors: ['endpoint_not_found', 'too_many_endpoints'],
    response: { status: 200, schema: WebhookEndpoint },
    handle: async ({ ctx, caller, params, body }) =>
      reply(200, await changeEndpoint(ctx, caller, params.id ?? '', () => body)),
  }),
  endpoint({
    operationId: 'deleteWebhookEndpoint',
    method: 'delete',
    path: PATH,
    summary: 'Deletes a registered endpoint.',
    description: 'What is pending there fails, and its secrets are gone. Returns what it was.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: WebhookEndpoint },
    handle: async ({ ctx, caller, params }) => reply(200, await removeEndpoint(ctx, caller, params.id ?? '')),
  }),
  endpoint({
    operationId: 'getWebhookEndpointSecrets',
    method: 'get',
    path: `${PATH}/secrets`,
    summary:
      'Returns the secret that signs what a registered endpoint receives, and those that still overlap.',
    description: 'As `GET /v1/webhooks/secrets` does for the `webhookUrl`.',
    auth: 'required',
    permissions: ['webhooks:secrets'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: WebhookSecrets },
    async handle({ ctx, caller, params }) {
      const { id } = await readRegistration(ctx.db, caller.merchantId, params.id ?? '');
      return reply(200, await getWebhookSecrets(ctx, id, ENDPOINT_SECRETS));
    },
  }),
  endpoint({
    operationId: 'rotateWebhookEndpointSecret',
    method: 'post',
    path: `${PATH}/secrets/rotate`,
    summary: 'Puts a new secret of a registered endpoint in force; the old one overlaps.',
    description: 'As `POST /v1/webhooks/secrets/rotate` does for the `webhookUrl`.',
    auth: 'required',
    // The response holds the secrets.
    permissions: ['webhooks:write', 'webhooks:secrets'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RotateSecretBody,
    errors: ['endpoint_not_found'],
    response: { status: 200, schema: WebhookSecrets },
    async handle({ ctx, caller, params, body, claim }) {
      const { id } = await readRegistration(ctx.db, caller.merchantId, params.id ?? '');
      return rotateSecret(ctx, caller, body, claim, { store: ENDPOINT_SECRETS, ownerId: id });
    },
  }),
];
