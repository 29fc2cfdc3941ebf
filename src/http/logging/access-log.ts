import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { requestSeconds } from '../../platform/metrics/measures.ts';
import type { Caller } from '../../domain/api/endpoint.ts';
import { shortAddress } from './short-address.ts';

/** What the handlers of a request know of it, and its log line states. */
export interface RequestFacts {
  /** Why it was refused: the rule that it broke, never what it sent. */
  readonly reason?: string;
  /** The visible prefix of a valid API key. */
  readonly key?: string;
  readonly payment_id?: string;
  readonly delivery_id?: string;
  readonly event_id?: string;
  /** Who is signed in to the desk. */
  readonly person_id?: string;
  /** Which till, and on which of its devices. */
  readonly till_id?: string;
  readonly device_id?: string;
}

/** Adds to the log line of the request; a fact that is known already stays, except `undefined`. */
export function noteFacts(response: Response, facts: RequestFacts): void {
  response.locals.facts = { ...facts, ...factsOf(response) };
}

/** What was noted of the request so far. */
export function factsOf(response: Response): RequestFacts {
  return (response.locals.facts as RequestFacts | undefined) ?? {};
}

/** Load balancers ask for them every second or so. */
const PROBES = new Set(['/livez', '/readyz']);

/**
 * Logs one line for each request once its response is sent or its connection has closed: method, route,
 * status, duration, who asked, and the ids of what it was about. The path itself is logged only where no
 * route matches it; queries, bodies, keys and tokens never. Customers' addresses are left out of the lines
 * of pages, and shortened in those of refused ones; callers of the API and operators are servers and staff.
 */
export function accessLog(
  { log }: Pick<Context, 'log'>,
  addressOf: (request: Request) => string,
): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    // Computed now: a closed connection has no address any more.
    const address = addressOf(request);
    response.once('close', () => {
      const level = PROBES.has(request.path) && response.statusCode < 400 ? 'debug' : 'info';
      measure(request, response, performance.now() - startedAt);
      log[level]('request', lineOf(request, response, address, performance.now() - startedAt));
    });
    next();
  };
}

/** Node's parser refuses most others; what it takes beside these is one series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures every request but streams of events, which are open for as long as a page is. */
function measure(request: Request, response: Response, durationMs: number): void {
  if (String(response.getHeader('Content-Type')).startsWith('text/event-stream')) return;
  const method = METHODS.has(request.method) ? request.method : 'other';
  const status = response.writableFinished ? String(response.statusCode) : 'aborted';
  requestSeconds.observe({ method, route: routeOf(request) ?? 'none', status }, durationMs / 1000);
}

function lineOf(request: Request, response: Response, address: string, durationMs: number): object {
  const path = wholePath(request);
  const route = routeOf(request);
  const caller = response.locals.caller as Caller | null | undefined;
  const isPage = /^\/+(?:checkout|l(?=\/))/i.test(path);
  const isRefused = response.statusCode >= 400;
  return {
    request_id: response.getHeader('X-Request-Id'),
    method: request.method,
    ...(route === null ? { route: 'none', path: withoutToken(path).slice(0, MAX_PATH) } : { route }),
    status: response.statusCode,
    duration_ms: Math.round(durationMs * 10) / 10,
    merchant_id: caller?.merchantId,
    ...idsIn(path),
    ...factsOf(response),
    ...(isPage ? (isRefused ? { address: shortAddress(address) } : {}) : { address }),
    ...(response.writableFinished ? {} : { aborted: true }),
  };
}

const MAX_PATH = 128;

/** The path as it was asked for: `request.path` lacks what a router is mounted at. */
export function wholePath({ originalUrl }: Pick<Request, 'originalUrl'>): string {
  return originalUrl.split('?', 1)[0] ?? '';
}

/**
 * A path without the token of a page, which is all that the page's permission consists of, however it is
 * written: routes match in capital letters and percent-encoded, too.
 */
export function withoutToken(path: string): string {
  return path.replace(
    /^(\/+(?:checkout|l|dashboard\/+(?:[a-z\d]{1,8}\/+)?(?:invitations|links|passwords)|till\/+pair)\/+)[^/]*/i,
    '$1:token',
  );
}

function routeOf(request: Request): string | null {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : null;
}

const ID_FIELDS: Readonly<Record<string, keyof RequestFacts>> = {
  pay: 'payment_id',
  dlv: 'delivery_id',
  evt: 'event_id',
};

/** The ids of a path, by what they name. */
function idsIn(path: string): RequestFacts {
  const facts: Partial<Record<keyof RequestFacts, string>> = {};
  for (const [, id = '', prefix = ''] of path.matchAll(/\/((pay|dlv|evt)_\w{1,40})(?=\/|$)/g)) {
    const field = ID_FIELDS[prefix];
    if (field !== undefined) facts[field] = id;
  }
  return facts;
}

/** The id of the payment or delivery that a JSON body begins with: what a request has created or read. */
export function idsOfBody(text: string): RequestFacts {
  const [, id, prefix = ''] = /^\{"id":"((pay|dlv|evt)_\w{1,40})"/.exec(text) ?? [];
  const field = ID_FIELDS[prefix];
  return field === undefined ? {} : { [field]: id };
}
