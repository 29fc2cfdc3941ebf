import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../domain/api/endpoint.ts';
import { startSpan } from '../../platform/traces/traces.ts';
import { factsOf } from './access-log.ts';

/**
 * Begins a span for each request, in the trace that its `traceparent` names. What the request records
 * continues it. Does nothing while traces are off.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const own = request.headers.traceparent;
  const span = startSpan(request.method, 'SERVER', typeof own === 'string' ? own : null);
  if (span === null) return next();
  response.locals.traceparent = span.traceparent;
  response.once('close', () => {
    const { statusCode } = response;
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    const { reason = String(statusCode) } = factsOf(response);
    span.end(attributesOf(request, response, route), {
      name: `${request.method} ${route}`,
      error: statusCode >= 500 ? reason : null,
    });
  });
  next();
};

/** The traceparent of the request's span, for what it records. */
export function traceparentOf(response: Response): string | undefined {
  return response.locals.traceparent as string | undefined;
}

function attributesOf(request: Request, response: Response, route: string) {
  const { reason, payment_id, delivery_id } = factsOf(response);
  return {
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': response.statusCode,
    request_id: String(response.getHeader('X-Request-Id') ?? ''),
    merchant_id: (response.locals.caller as Caller | null | undefined)?.merchantId,
    payment_id,
    delivery_id,
    reason,
  };
}
