import type { Endpoint } from '../../domain/api/endpoint.ts';
import type { Components } from './components.ts';

/** Parameters that several operations have. */
export const PARAMETERS = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'An id of your own for the request, 1 to 64 of `A-Za-z0-9._-`: the response and the logs have it. ' +
      'Another one is ignored.',
    schema: { type: 'string' },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context: the trace that the request belongs to. Another value is ignored.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the request again: for at least 24 hours the same key and body return the same ' +
      'response, and nothing happens twice. Visible ASCII.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
} as const;

/** Ids in paths: what is none names nothing, which is a 404, so that no form is required. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  '/v1/payment/:id': "The payment's id, `pay_...`.",
  '/v1/links/:id': "The link's id, `lnk_...`.",
  '/v1/payment/:id/refunds/:refund_id': "The refund's id, `ref_...`.",
  '/v1/sandbox/payments/:id': 'The id of a payment of a test merchant, `pay_...`.',
  '/v1/webhooks/deliveries/:id': "The delivery's id, `dlv_...`.",
  '/v1/webhooks/endpoints/:id': 'The id of a registered endpoint, `whe_...`.',
  '/v1/webhooks/jwks/:merchant_id': "The merchant's id, `mer_...`, as `jwks_url` has it.",
  '/v1/events/:id': "The event's id, `evt_...`.",
};

/** The parameters of an endpoint: of its path, its query and its headers. */
export function parametersOf({ path, query, method, auth }: Endpoint, components: Components): object[] {
  const refer = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(({ 1: name, index, 0: part }) => ({
      name,
      in: 'path',
      required: true,
      description: describePart(path.slice(0, index + part.length)),
      schema: { type: 'string' },
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      ...('description' in schema ? { description: schema.description } : {}),
      schema: components.refer(schema),
      ...('items' in schema ? { style: 'form', explode: false } : {}),
    })),
    ...(method === 'post' && auth === 'required' ? [refer('IdempotencyKey')] : []),
    refer('RequestId'),
    refer('Traceparent'),
  ];
}

/** Throws for a parameter that nobody has described: the document would be incomplete. */
function describePart(path: string): string {
  const description = PATH_PARAMETERS[path];
  if (description === undefined) throw new Error(`${path} needs a description in openapi/parameters.ts`);
  return description;
}
