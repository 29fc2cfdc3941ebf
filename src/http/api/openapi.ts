import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import type { TSchema } from 'typebox';
import type { Endpoint } from '../../platform/endpoint.ts';
import { API_ERRORS } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';

/** The OpenAPI 3.1 document of the endpoints, from the same schemas that validate their requests. */
export function openApiDocument(endpoints: readonly Endpoint[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Payment checkout', version: VERSION },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

/** Sends the document, compressed once for all clients that accept it. */
export function serveDocument(document: object): RequestHandler {
  const plain = JSON.stringify(document);
  const compressed = gzipSync(plain);
  return (request, response) => {
    response.type('application/json').vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip') === false) response.send(plain);
    else response.set('Content-Encoding', 'gzip').send(compressed);
  };
}

function operation({
  operationId,
  summary,
  auth,
  permission,
  path,
  query,
  body,
  response,
  method,
}: Endpoint): object {
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema,
      explode: false,
    })),
    ...(method === 'post'
      ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 } }]
      : []),
  ];
  return {
    operationId,
    summary,
    ...(permission === null ? {} : { description: `Needs the permission ${permission}.` }),
    security: auth === 'required' ? [{ apiKey: [] }] : [{}, { apiKey: [] }],
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: 'required' in body, content: json(body) } }),
    responses: {
      [response.status]: { description: STATUS_CODES[response.status], content: json(response.schema) },
      ...errorResponses(),
    },
  };
}

function errorResponses(): Record<string, object> {
  const statuses = new Set(Object.values(API_ERRORS).map(([status]) => status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { description: STATUS_CODES[status], content: json(ERROR_REFERENCE) },
    ]),
  );
}

function json(schema: TSchema | object): object {
  return { 'application/json': { schema } };
}

const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' };

const ERROR_SCHEMA = {
  type: 'object',
  required: ['statusCode', 'error', 'message', 'timestamp', 'path', 'request_id'],
  properties: {
    statusCode: { type: 'integer' },
    error: { type: 'string' },
    message: { type: 'string' },
    details: {
      type: 'object',
      description: 'On validation errors only: the offending field and the violated rule.',
      properties: { field: { type: 'string' }, constraint: { type: 'string' } },
    },
    timestamp: { type: 'string', format: 'date-time' },
    path: { type: 'string' },
    request_id: { type: 'string' },
  },
};
