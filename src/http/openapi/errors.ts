import { STATUS_CODES } from 'node:http';
import type { Endpoint } from '../../domain/api/endpoint.ts';
import { API_ERRORS, type ApiErrorCode } from '../../domain/api/errors.ts';
import { errorExamplesOf } from './examples.ts';
import { headersOf } from './headers.ts';

/** The error body of the specification ("Error body"). */
export const ERROR_SCHEMA = {
  type: 'object',
  required: ['statusCode', 'error', 'message', 'timestamp', 'path', 'request_id'],
  properties: {
    statusCode: { type: 'integer' },
    error: { type: 'string', description: 'Short name of the status.' },
    message: { type: 'string', description: 'For people: what is wrong, and what to do.' },
    details: {
      type: 'object',
      description: 'On validation errors only: the offending field and the violated rule.',
      required: ['field', 'constraint'],
      properties: {
        field: { type: 'string', description: 'Its path in dots, or `body`.' },
        constraint: { type: 'string', description: 'The JSON Schema keyword that is violated.' },
      },
    },
    timestamp: { type: 'string', format: 'date-time' },
    path: { type: 'string' },
    request_id: { type: 'string', description: 'As in X-Request-Id.' },
  },
} as const;

/**
 * Every error that an endpoint can return: those that follow from what it is (a key, a body, a POST), and its
 * own. 405 and `route_not_found` belong to no operation, but to what is none.
 */
function errorCodesOf(endpoint: Endpoint): readonly ApiErrorCode[] {
  const { auth, method, body, accepts, errors, operationId } = endpoint;
  const needsKey = auth === 'required';
  const takesBody = body !== undefined || accepts !== undefined;
  const codes: readonly (ApiErrorCode | null)[] = [
    // Without parameters of its own, an unknown one is refused.
    'validation',
    needsKey ? 'unauthorized' : null,
    needsKey ? 'forbidden' : null,
    ...errors,
    needsKey && method === 'post' ? 'idempotency_conflict' : null,
    takesBody ? 'body_too_large' : null,
    takesBody ? 'unsupported_media_type' : null,
    'rate_limited',
    'internal',
    'unavailable',
    operationId === 'getStatus' ? null : 'maintenance',
  ];
  return codes.filter((code) => code !== null);
}

/** The error responses of an endpoint, by status; each names its codes. */
export function errorResponsesOf(endpoint: Endpoint): Record<string, object> {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const [status] = API_ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: [STATUS_CODES[status], '', ...codes.map(lineOf)].join('\n'),
        'x-error-codes': codes,
        headers: headersOf(status, { isReplayable: false }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            ...errorExamplesOf(endpoint.operationId, status, codes),
          },
        },
      },
    ]),
  );
}

function lineOf(code: ApiErrorCode): string {
  return `- \`${code}\`: ${API_ERRORS[code][1]}`;
}
