import type { Request, RequestHandler, Response, Router } from 'express';
import type { Actor, Context } from '../../platform/context.ts';
import { DEFAULT_PER_MINUTE, type Caller, type Endpoint, type Reply } from '../../domain/api/endpoint.ts';
import { visiblePrefix } from '../../platform/values/cells.ts';
import { groupBy } from '../../platform/postgres/sql.ts';
import { ApiError, ValidationError } from '../../domain/api/errors.ts';
import type { Log } from '../../platform/log.ts';
import { runInTrace } from '../../platform/traces/traces.ts';
import type { Validator } from '../../domain/api/validator.ts';
import { elsewhere, keyFault, type Authenticate } from './authenticate.ts';
import { UNKNOWN_PER_MINUTE } from './guesses.ts';
import { fileOf, readFile, readJson } from './body.ts';
import type { Clients } from './client-address.ts';
import { factsOf, idsOfBody, noteFacts } from '../logging/access-log.ts';
import { traceparentOf } from '../logging/trace-requests.ts';
import { claimOf } from './idempotency.ts';
import { readQuery } from './query.ts';
import type { Limiters } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import { refuseMethod } from './path.ts';

export interface Gate {
  readonly ctx: Context;
  readonly validator: Validator;
  readonly authenticate: Authenticate;
  readonly limit: Limiters;
  readonly clients: Clients;
}

/**
 * Mounts endpoints. Each request is authenticated, limited, checked for permission, its body read and
 * validated, and then handled, in that order, so that the body of an unauthenticated request is never read.
 * Methods that a path does not have get 405.
 */
export function mount(router: Router, endpoints: readonly Endpoint[], gate: Gate): void {
  const identify = identifier(gate);
  const clientOf = clientNamer(gate.clients);
  // Path by path, with its refusal at its end: what a literal path does not take is not for one with
  // parameters.
  for (const [path, own] of groupBy(endpoints, (endpoint) => endpoint.path)) {
    for (const endpoint of own) {
      const isStatus = endpoint.operationId === 'getStatus';
      // A load balancer whose health check is refused takes every web process out of service.
      const isUnlimited = isStatus ? gate.clients.isProbe : undefined;
      const limit = gate.limit(endpoint.operationId, endpoint.perMinute, clientOf, isUnlimited);
      const isClosed = gate.ctx.config.maintenance && !isStatus;
      router[endpoint.method](
        path,
        ...(isClosed ? [failWith(limit, new ApiError('maintenance'))] : []),
        identify(endpoint.auth, limit),
        limit,
        permit(endpoint),
        ...(endpoint.body === undefined ? [] : readJson),
        ...(endpoint.accepts === undefined ? [] : readFile(endpoint.accepts)),
        handler(gate, endpoint),
      );
    }
    const limit = gate.limit(`other ${path}`, DEFAULT_PER_MINUTE, clientOf);
    router.all(path, identify('optional', limit), limit, refuseMethod(methodsOf(own), endpoints));
  }
}

/** Limits requests to unknown paths, like an endpoint of its own. */
export function limitUnknownPaths(gate: Gate): RequestHandler[] {
  const limit = gate.limit('unknown path', DEFAULT_PER_MINUTE, clientNamer(gate.clients));
  return [identifier(gate)('optional', limit), limit];
}

/** Fails with `error` also above the limit, which only adds its headers. */
function failWith(limit: RequestHandler, error: unknown): RequestHandler {
  return (request, response, next) => limit(request, response, () => next(error));
}

/**
 * Identifies the caller. A required key that is not valid counts against the address's limit of failures.
 * When Postgres is unavailable the request fails here, with the headers of its endpoint's limit.
 */
function identifier({ authenticate, limit: newLimit, clients }: Gate) {
  const limitFailures = newLimit('unauthorized', UNKNOWN_PER_MINUTE, clients.addressOf);
  return (auth: Endpoint['auth'], limit: RequestHandler): RequestHandler =>
    async (request, response, next) => {
      const key = request.headers['x-api-key'];
      try {
        const address = clients.addressOf(request);
        const found = await authenticate(typeof key === 'string' ? key : undefined, address);
        if (found !== null) noteKey(response, visiblePrefix(String(key)), found.merchantId);
        if (found === null || !('refused' in found)) response.locals.caller = found;
        else if (found.refused === 'elsewhere' && auth === 'required') throw elsewhere(address);
      } catch (error) {
        failWith(limit, error)(request, response, next);
        return;
      }
      if (callerOf(response) !== null || auth === 'optional') return next();
      await limitFailures(request, response, (error?: unknown) => {
        if (error !== undefined) return next(error);
        const [reason, message] = keyFault(key, request.headers.authorization);
        noteFacts(response, { reason: `unauthorized: ${reason}` });
        next(new ApiError('unauthorized', { message }));
      });
    };
}

/** A key that is refused is the merchant's as well: its people see what became of its requests. */
function noteKey(response: Response, key: string, merchantId: string): void {
  noteFacts(response, { key });
  response.locals.keyOf = merchantId;
}

function callerOf(response: Response): Caller | null {
  return (response.locals.caller as Caller | null | undefined) ?? null;
}

/** Names the client of a request: its merchant, or without a valid key its address. */
function clientNamer({ addressOf }: Clients) {
  return (request: Request): string => {
    const caller = request.res === undefined ? null : callerOf(request.res);
    return caller === null ? `address ${addressOf(request)}` : caller.merchantId;
  };
}

/**
 * Whatever a request changes or starts is logged with it, and with the key that asked. Most requests log
 * nothing but their access: the log of the others is made when it is first asked for.
 */
function contextOf(ctx: Context, request: Request, response: Response, { addressOf }: Clients): Context {
  let own: Log | null = null;
  return {
    ...ctx,
    get log() {
      return (own ??= ctx.log.child({ request_id: requestIdOf(response), key: factsOf(response).key }));
    },
    get actor(): Actor | undefined {
      const { key } = factsOf(response);
      return key === undefined ? undefined : { kind: 'key', actor: key, address: addressOf(request) };
    },
  };
}

function permit({ auth, permissions, testOnly = false }: Endpoint): RequestHandler {
  return (_request, response, next) => {
    // A proxy that has not read its map again leads it here.
    if (auth === 'required' && callerOf(response)?.hasMoved === true) throw new ApiError('unavailable');
    if (auth === 'required' && callerOf(response)?.isSuspended === true)
      throw new ApiError('forbidden', {
        message: 'The merchant is suspended by the operator of this service, who knows why.',
      });
    if (testOnly && callerOf(response)?.mode !== 'test')
      throw new ApiError('forbidden', {
        message: 'This is for test keys only: a live key cannot play with real money.',
      });
    const own = callerOf(response)?.permissions ?? [];
    const lacks = permissions.find((permission) => !own.includes(permission));
    if (lacks !== undefined)
      throw new ApiError('forbidden', { message: `The API key lacks the permission ${lacks}.` });
    next();
  };
}

function handler({ ctx, validator, clients }: Gate, endpoint: Endpoint): RequestHandler {
  const checkBody = endpoint.body && validator.compile(endpoint.body, 'body');
  const checkQuery = validator.compile(endpoint.query ?? NO_QUERY, 'query');
  const isBodyNeeded = endpoint.body !== undefined && 'required' in endpoint.body;
  return async (request, response) => {
    const query = checkQuery(readQuery(request.url, endpoint.query)) as Record<string, unknown>;
    if (request.body === undefined && isBodyNeeded)
      throw new ValidationError('body', 'required', 'is required, as JSON');
    const body = checkBody?.(request.body === undefined ? {} : request.body);
    const caller = callerOf(response);
    const claim = claimOf(request, endpoint, caller, body);
    // `auth: required` lets no request without a caller pass; the declaration's type relies on it.
    const reply = await runInTrace(traceparentOf(response), () =>
      endpoint.handle({
        ctx: contextOf(ctx, request, response, clients),
        caller,
        params: request.params as Record<string, string>,
        body,
        query,
        file: endpoint.accepts === undefined ? null : fileOf(request, endpoint.accepts),
        claim,
        isAbandoned: () => request.socket.destroyed,
      }),
    );
    send(response, reply);
  };
}

const NO_QUERY = { type: 'object', additionalProperties: false } as const;

function send(response: Response, { status, text, headers }: Reply): void {
  noteFacts(response, idsOfBody(text));
  if (headers !== undefined) response.set(headers);
  response.status(status).type('application/json').send(text);
}

function methodsOf(endpoints: readonly Endpoint[]): string[] {
  return endpoints.map(({ method }) => method.toUpperCase());
}
