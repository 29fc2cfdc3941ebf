import type { Request, RequestHandler } from 'express';
import type { Endpoint } from '../../domain/api/endpoint.ts';
import { ApiError } from '../../domain/api/errors.ts';
import { nearest } from '../../platform/values/nearest.ts';
import { pathOf } from './errors.ts';

/** A base URL with a slash at its end, and a path with one at its beginning. */
const DOUBLE_SLASH = /^\/\/+v1(?:[/?]|$)/i;

/**
 * Takes a path that cannot be decoded (`%`, `%FF`) literally. It then matches nothing, and gets the same
 * response, limits included, as any other unknown path or id; Express would end the request before
 * authentication. `//v1/payments` is an unknown path of the API, not of the pages.
 */
export const literalPath: RequestHandler = (request, _response, next) => {
  if (request.url.includes('%')) {
    const [path = '', ...query] = request.url.split('?');
    if (!isDecodable(path)) request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  if (DOUBLE_SLASH.test(request.url)) request.url = `/v1/${request.url}`;
  next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

type Route = Pick<Endpoint, 'method' | 'path'>;

/** Of a path that no endpoint has a message quotes this much. */
const MAX_QUOTED = 100;

/** Refuses what no endpoint matches, as the last route under /v1, and names the nearest endpoint. */
export function notFound(endpoints: readonly Route[]): RequestHandler {
  return (request) => {
    const near = hint(request, endpoints);
    throw new ApiError('route_not_found', {
      message: `There is no ${quoted(request)}.${near ?? ' GET /v1/openapi.json lists what there is.'}`,
    });
  };
}

/**
 * Refuses a method that a path does not have with 405, and names the `methods` that it has, and the nearest
 * endpoint that takes it.
 */
export function refuseMethod(methods: readonly string[], endpoints: readonly Route[]): RequestHandler {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  return (request) => {
    const others = endpoints.filter(({ method }) => method.toUpperCase() === request.method);
    throw new ApiError('method_not_allowed', {
      message: `There is no ${quoted(request)}: the path takes ${allow}.${hint(request, others) ?? ''}`,
      headers: { Allow: allow },
    });
  };
}

function quoted(request: Request): string {
  const path = pathOf(request);
  return `${request.method} ${path.length > MAX_QUOTED ? `${path.slice(0, MAX_QUOTED)}...` : path}`;
}

/** Compares the path with each endpoint's, whose parameters are as they were sent. */
function hint(request: Request, endpoints: readonly Route[]): string | null {
  const segments = pathOf(request).split('/');
  const places = new Map<string, Route>();
  for (const route of endpoints) {
    const own = route.path.split('/');
    const path = own.map((name, at) => (name.startsWith(':') ? (segments[at] ?? name) : name)).join('/');
    const known = places.get(path);
    if (known === undefined || route.method.toUpperCase() === request.method) places.set(path, route);
  }
  const near = places.get(nearest(segments.join('/'), [...places.keys()]) ?? '');
  return near === undefined ? null : ` Did you mean ${near.method.toUpperCase()} ${near.path}?`;
}
