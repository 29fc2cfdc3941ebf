import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { isMoving, isUnavailable } from '../../platform/postgres/db.ts';
import { ApiError, ValidationError } from '../../domain/api/errors.ts';
import { messageOf } from '../../platform/log.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { noteFacts } from '../logging/access-log.ts';
import { faultOf as faultOfBytes } from '../protocol/faults.ts';
import { requestIdOf } from './request-id.ts';

/** For the Retry-After of a 503: a Postgres that restarts is back within seconds. */
const RETRY_AFTER_SECONDS = '5';

/**
 * Sends every error with the specification's body. An error that is no ApiError is logged in full, and sent
 * without details.
 */
export function errorHandler(ctx: Context): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toApiError(thrown, request);
    noteFacts(response, { reason: reasonOf(error, thrown) });
    if (error.status >= 500) logFailure(ctx, error, thrown, request);
    // The client must see the cut. Express's own handler would also print the error, secrets included.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendError(ctx, error, request, response);
  };
}

function sendError(ctx: Context, error: ApiError, request: Request, response: Response): void {
  response.set(error.headers);
  if (error.status === 503) response.set('Retry-After', RETRY_AFTER_SECONDS);
  // The unread rest of a body would be parsed as the next request.
  if (!request.complete) response.set('Connection', 'close');
  response.status(error.status).json({
    statusCode: error.status,
    error: STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
    timestamp: ctx.now().toISOString(),
    path: pathOf(request),
    request_id: requestIdOf(response),
  });
}

function logFailure(ctx: Context, error: ApiError, thrown: unknown, request: Request): void {
  const fields = {
    request_id: request.res && requestIdOf(request.res),
    method: request.method,
    path: pathOf(request),
  };
  if (error.code === 'internal')
    ctx.log.error('request failed', {
      ...fields,
      error: messageOf(thrown),
      stack: thrown instanceof Error ? thrown.stack : undefined,
    });
  else if (error.code === 'unavailable')
    ctx.log.warn('request refused with 503', { ...fields, ...faultOf(thrown) });
}

/** The rule that a request broke; of names that a client invents only those that look like ours. */
function reasonOf({ code, details }: ApiError, thrown: unknown): string {
  if (code === 'unavailable') return faultOf(thrown).reason ?? code;
  if (details === undefined) return code;
  const field = /^[\w.[\]]{1,64}$/.test(details.field) ? details.field : 'a field';
  return `${code}: ${field} ${details.constraint}`;
}

/** The path as the client wrote it, without the query, which may hold data that no log should. */
export function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}

function toApiError(thrown: unknown, request: Request): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const isLater = isUnavailable(thrown) || isMoving(thrown);
  return bodyFault(thrown, request) ?? new ApiError(isLater ? 'unavailable' : 'internal');
}

/** A body of the right type that is compressed in a way, or more often, than is read. */
function encodingFault(thrown: Error): { message?: string } {
  return 'type' in thrown && thrown.type === 'encoding.unsupported'
    ? { message: 'This Content-Encoding is not read: send gzip, deflate or br, once, or none.' }
    : {};
}

/**
 * Errors of reading a body (too large, cut off, not what Content-Encoding says) have a status of the 4xx
 * class.
 */
function bodyFault(thrown: unknown, request: Request): ApiError | null {
  if (!(thrown instanceof Error) || !('status' in thrown)) return null;
  if (thrown.status === 413) return new ApiError('body_too_large');
  if (thrown.status === 415) return new ApiError('unsupported_media_type', encodingFault(thrown));
  return thrown.status === 400
    ? (faultOfBytes(request) ?? new ValidationError('body', 'json', `could not be read: ${thrown.message}`))
    : null;
}
