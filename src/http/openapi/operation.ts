import { STATUS_CODES } from 'node:http';
import type { Endpoint } from '../../domain/api/endpoint.ts';
import type { Components } from './components.ts';
import { errorResponsesOf } from './errors.ts';
import { examplesOf } from './examples.ts';
import { headersOf } from './headers.ts';
import { parametersOf } from './parameters.ts';
import { tagOf } from './tags.ts';

/** An endpoint as an operation of OpenAPI. What OpenAPI has no word for is text, and a field `x-...`. */
export function operationOf(endpoint: Endpoint, components: Components): object {
  const { operationId, summary, description, auth, permissions, path, response, perMinute } = endpoint;
  const { method, testOnly = false } = endpoint;
  const isReplayable = method === 'post' && auth === 'required';
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description: [description, ...termsOf(endpoint)].join('\n\n'),
    'x-permissions': permissions,
    'x-rate-limit': { requests: perMinute, seconds: 60, per: 'merchant' },
    ...(testOnly ? { 'x-test-merchants-only': true } : {}),
    security: auth === 'required' ? [{ apiKey: [] }] : [{}, { apiKey: [] }],
    parameters: parametersOf(endpoint, components),
    ...requestBodyOf(endpoint, components),
    responses: {
      [response.status]: {
        description: STATUS_CODES[response.status],
        headers: headersOf(response.status, { isReplayable }),
        content: {
          'application/json': {
            schema: components.refer(response.schema),
            ...examplesOf(operationId, response.status),
          },
        },
      },
      ...errorResponsesOf(endpoint),
    },
  };
}

function termsOf({ permissions, perMinute, auth, testOnly = false }: Endpoint): string[] {
  const names = permissions.map((permission) => `\`${permission}\``).join(' and ');
  const plural = permissions.length > 1 ? 's' : '';
  const limit = `Limit: ${perMinute} requests a minute and merchant`;
  return [
    permissions.length === 0 ? 'Needs no permission.' : `Needs the permission${plural} ${names}.`,
    ...(testOnly ? ['For test merchants only: a live key receives a 403.'] : []),
    auth === 'required' ? `${limit}.` : `${limit}; without a key, a minute and address.`,
  ];
}

function requestBodyOf({ operationId, body, accepts }: Endpoint, components: Components): object {
  if (accepts !== undefined)
    return {
      requestBody: {
        required: true,
        description: 'The file itself, of at most 100 kB.',
        content: Object.fromEntries(accepts.map((type) => [type, { schema: {} }])),
      },
    };
  if (body === undefined) return {};
  const isRequired = 'required' in body;
  return {
    requestBody: {
      required: isRequired,
      description: `JSON in UTF-8, of at most 100 kB${isRequired ? '' : '; none is the same as `{}`'}.`,
      content: {
        'application/json': { schema: components.refer(body), ...examplesOf(operationId, 'request') },
      },
    },
  };
}
