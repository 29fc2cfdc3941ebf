import type { RequestHandler, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { newId } from '../../platform/values/ids.ts';

const VALID = /^[A-Za-z0-9._-]{1,64}$/;
const HEADER = 'X-Request-Id';

/** Gives every request an id, the client's own if it is valid, and sets X-Request-Id on the response. */
export function requestId(ctx: Context): RequestHandler {
  return (request, response, next) => {
    const own = request.headers['x-request-id'];
    response.setHeader(HEADER, typeof own === 'string' && VALID.test(own) ? own : newId('req', ctx.now()));
    next();
  };
}

/** The id that `requestId` has set. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(HEADER) ?? '');
}
