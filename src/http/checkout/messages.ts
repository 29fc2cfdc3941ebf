import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../domain/api/errors.ts';
import { messagePage, type Message } from '../../domain/checkout/page/messages.ts';
import type { Context } from '../../platform/context.ts';
import { isMoving, isUnavailable } from '../../platform/postgres/db.ts';
import { faultOf as reasonsOf } from '../../platform/logging/reasons.ts';
import { noteFacts, wholePath, withoutToken } from '../logging/access-log.ts';
import { languageOf, PAGE_HEADERS, PASSING_HEADERS } from './page.ts';

// What people read in the place of a page: customers in their language, merchants in the look of the desk.

/** As often as the page of the maintenance loads itself again. */
export const MAINTENANCE_RETRY_SECONDS = '60';

/** Returns the page of a message, and may set headers of its own. */
export type ShowMessage = (request: Request, response: Response, message: Message) => string;

/** As customers read it, in their language. */
export const forCustomers: ShowMessage = (request, _response, message) =>
  messagePage(message, languageOf(request).language);

/** Page, actions, status and streams alike: nothing of a payment is read or changed. */
export const showMaintenance =
  (show = forCustomers): RequestHandler =>
  (request, response) => {
    // The unread rest of a form would be parsed as the next request.
    if (!request.complete) response.set('Connection', 'close');
    response
      .status(503)
      .set(passingHeadersOf(request))
      .set('Retry-After', MAINTENANCE_RETRY_SECONDS)
      .send(show(request, response, 'maintenance'));
  };

/** Shops show the pages of payments and links in a frame, and nobody those of the desk and of operators. */
function passingHeadersOf({ originalUrl }: Request): Readonly<Record<string, string>> {
  return /^\/+(?:checkout|l)\//i.test(originalUrl) ? PASSING_HEADERS : PAGE_HEADERS;
}

/** No route matches the path. */
export const missingPage =
  (show = forCustomers): RequestHandler =>
  (request, response) => {
    const isToken = wholePath(request).startsWith('/checkout/');
    noteFacts(response, { reason: isToken ? 'no payment has this token' : 'no such page' });
    response.status(404).set(PAGE_HEADERS);
    response.send(show(request, response, isToken ? 'missing' : 'nowhere'));
  };

/** People read this response: it shows no internals, and is no blank page. */
export function pageError(ctx: Context, show = forCustomers): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { status, message } = faultOf(error);
    noteFacts(response, { reason: reasonsOf(error).reason ?? message });
    if (status >= 500)
      ctx.log[status === 503 ? 'warn' : 'error']('page failed', {
        path: withoutToken(wholePath(request)),
        ...reasonsOf(error),
      });
    // The client must see the cut. Express's own handler would also print the error, secrets included.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const isOfForm = message === 'badForm' || message === 'tooLong';
    response.status(status).set(isOfForm ? PAGE_HEADERS : passingHeadersOf(request));
    if (status >= 500) response.set('Retry-After', '5');
    if (!request.complete) response.set('Connection', 'close');
    response.send(show(request, response, message));
  };
}

function faultOf(error: unknown): { status: number; message: Message } {
  if (error instanceof ApiError && error.code === 'rate_limited') return { status: 429, message: 'limited' };
  if (isMoving(error)) return { status: 503, message: 'maintenance' };
  if (isUnavailable(error)) return { status: 503, message: 'error' };
  // Errors of the form parser carry the status of the client's error.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status === 413) return { status, message: 'tooLong' };
  return status >= 400 && status < 500 ? { status, message: 'badForm' } : { status: 500, message: 'error' };
}
