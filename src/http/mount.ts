import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Context } from '../platform/context.ts';
import type { Caller, Endpoint, Reply } from '../platform/endpoint.ts';
import { ApiError, ValidationError } from '../platform/errors.ts';
import type { Validator } from '../platform/schema.ts';
import type { Authenticate } from './authenticate.ts';
import { claimOf } from './idempotency.ts';
import { readQuery } from './query.ts';
import { addressOf, type Limiters } from './rate-limit.ts';

const MAX_BODY = '100kb';
/** Failed authentications of one address within a minute; more are answered 429. */
const UNAUTHORIZED_PER_MINUTE = 60;

export interface Gate {
  readonly ctx: Context;
  readonly validator: Validator;
  readonly authenticate: Authenticate;
  readonly limit: Limiters;
}

/**
 * Mounts endpoints: each request is authenticated, limited, checked for permission, its body read and validated, and then handled,
 * in that order, so that a stranger's body is never read. Methods that a path does not take answer 405.
 */
export function mount(router: Router, endpoints: readonly Endpoint[], gate: Gate): void {
  const readJson = express.json({ limit: MAX_BODY });
  const identify = identifier(gate);
  for (const endpoint of endpoints) {
    const limit = gate.limit(endpoint.operationId, endpoint.perMinute, whoOf);
    const reading = endpoint.body === undefined ? [] : [requireJson, readJson];
    router[endpoint.method](
      endpoint.path,
      identify(endpoint.auth),
      limit,
      permit(gate, endpoint),
      ...reading,
      handler(gate, endpoint),
    );
  }
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path)))
    router.all(
      path,
      identify('optional'),
      gate.limit(`other ${path}`, UNAUTHORIZED_PER_MINUTE, whoOf),
      refuseMethod(endpoints, path),
    );
}

/** Limits what no endpoint takes, like an endpoint of its own. */
export function limitOthers(gate: Gate): RequestHandler[] {
  return [identifier(gate)('optional'), gate.limit('unknown path', UNAUTHORIZED_PER_MINUTE, whoOf)];
}

/** Finds out who calls. A required key that is not valid counts against the address's limit of failures. */
function identifier({ authenticate, limit }: Gate) {
  const limitFailures = limit('unauthorized', UNAUTHORIZED_PER_MINUTE, addressOf);
  return (auth: Endpoint['auth']): RequestHandler =>
    async (request, response, next) => {
      const key = request.headers['x-api-key'];
      const caller = await authenticate(typeof key === 'string' ? key : undefined);
      response.locals.caller = caller;
      if (caller !== null || auth === 'optional') return next();
      await limitFailures(request, response, (error?: unknown) =>
        next(error ?? new ApiError('unauthorized')),
      );
    };
}

function callerOf(response: Response): Caller | null {
  return (response.locals.caller as Caller | null | undefined) ?? null;
}

function whoOf(request: Request): string {
  const caller = request.res === undefined ? null : callerOf(request.res);
  return caller === null ? `address ${addressOf(request)}` : caller.merchantId;
}

function permit({ ctx }: Gate, { permission, operationId }: Endpoint): RequestHandler {
  return (_request, response, next) => {
    if (ctx.config.maintenance && operationId !== 'getStatus') throw new ApiError('maintenance');
    if (permission !== null && callerOf(response)?.permissions.includes(permission) !== true)
      throw new ApiError('forbidden', { message: `The API key lacks the permission ${permission}.` });
    next();
  };
}

/** A body of another type would be passed over by the parser and reported as missing. */
const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && request.is('application/json') === false) throw new ApiError('unsupported_media_type');
  next();
};

function handler({ ctx, validator }: Gate, endpoint: Endpoint): RequestHandler {
  const checkBody = endpoint.body && validator.compile(endpoint.body, 'body');
  const checkQuery = validator.compile(endpoint.query ?? NO_QUERY, 'query');
  const isBodyNeeded = endpoint.body !== undefined && 'required' in endpoint.body;
  return async (request, response) => {
    const query = checkQuery(readQuery(request.query, endpoint.query)) as Record<string, unknown>;
    if (request.body === undefined && isBodyNeeded)
      throw new ValidationError('body', 'required', 'is required, as JSON');
    const body = checkBody?.(request.body ?? {});
    const caller = callerOf(response);
    const claim = caller !== null && endpoint.method === 'post' ? claimOf(request, caller, body) : null;
    // An endpoint with `auth: required` is only reached with a caller; its declaration's type relies on it.
    send(
      response,
      await endpoint.handle({
        ctx,
        caller,
        params: request.params as Record<string, string>,
        body,
        query,
        claim,
      }),
    );
  };
}

const NO_QUERY = { type: 'object', additionalProperties: false } as const;

function send(response: Response, { status, text, headers }: Reply): void {
  if (headers !== undefined) response.set(headers);
  response.status(status).type('application/json').send(text);
}

function refuseMethod(endpoints: readonly Endpoint[], path: string): RequestHandler {
  const methods = endpoints
    .filter((endpoint) => endpoint.path === path)
    .map(({ method }) => method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  return () => {
    throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
  };
}
