import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import { messagePage, type Message } from '../../domain/checkout/page/messages.ts';
import { recordLanguage } from '../../domain/checkout/actions/record-language.ts';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { isUnavailable } from '../../platform/postgres/db.ts';
import { ApiError } from '../../platform/errors.ts';
import { messageOf } from '../../platform/log.ts';
import { showEvents } from './events.ts';
import { selectMethod, setRefundAddress, readForm } from './forms.ts';
import { CHECKOUT_HEADERS, isHumanView, languageOf, PAGE_HEADERS, pageOf } from './page.ts';
import type { PageStreams } from './page-streams.ts';
import type { Gate } from '../api/mount.ts';

/**
 * A page without a stream polls 20 times a minute, and an office shares one address. At this rate no
 * client guesses a token.
 */
const CHECKOUT_PER_MINUTE = 300;

/** As often as the page of the maintenance loads itself again. */
const MAINTENANCE_RETRY_SECONDS = '60';

/** The customers' pages, below /checkout. */
export function checkoutRouter(
  { ctx, limit, clients }: Pick<Gate, 'ctx' | 'limit' | 'clients'>,
  adapters: AdaptersByMode,
  streams: PageStreams,
): Router {
  const router = Router();
  router.use('/checkout', limit('checkout', CHECKOUT_PER_MINUTE, clients.addressOf));
  if (ctx.config.maintenance) router.use('/checkout', showMaintenance);
  router.get('/checkout/:token', showPage(ctx, adapters));
  router.get('/checkout/:token/status', showStatus(ctx));
  router.get('/checkout/:token/events', showEvents(ctx, streams, clients));
  // The forms need no secret against requests from other sites: browsers add no cookie or password, and the
  // token in the path is all the permission that a payment needs, so a site that knows it could post the form
  // itself.
  router.post('/checkout/:token/coin', readForm, selectMethod(ctx, adapters));
  router.post('/checkout/:token/refund-address', readForm, setRefundAddress(ctx, adapters));
  return router;
}

/** Page, actions, status and streams alike: nothing of a payment is read or changed. */
const showMaintenance: RequestHandler = (request, response) => {
  // The unread rest of a form would be parsed as the next request.
  if (!request.complete) response.set('Connection', 'close');
  response
    .status(503)
    .set(PAGE_HEADERS)
    .set('Retry-After', MAINTENANCE_RETRY_SECONDS)
    .send(messagePage('maintenance', languageOf(request).language));
};

/** No route matches the path. */
export const missingPage: RequestHandler = (request, response) => {
  response
    .status(404)
    .set(PAGE_HEADERS)
    .send(messagePage('missing', languageOf(request).language));
};

/** People read this response: it shows no internals, and is no blank page. */
export function pageError(ctx: Context): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { status, message } = faultOf(error);
    if (status >= 500)
      ctx.log[status === 503 ? 'warn' : 'error']('page failed', {
        // Without the token, which is all that the page's permission consists of.
        path: request.path.replace(/^(\/checkout\/)[^/]*/i, '$1:token'),
        error: messageOf(error),
      });
    // The client must see the cut. Express's own handler would also print the error, secrets included.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(status).set(PAGE_HEADERS);
    if (status >= 500) response.set('Retry-After', '5');
    if (!request.complete) response.set('Connection', 'close');
    response.send(messagePage(message, languageOf(request).language));
  };
}

function faultOf(error: unknown): { status: number; message: Message } {
  if (error instanceof ApiError && error.code === 'rate_limited') return { status: 429, message: 'limited' };
  if (isUnavailable(error)) return { status: 503, message: 'error' };
  // Errors of the form parser carry the status of the client's error.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? { status, message: 'badForm' } : { status: 500, message: 'error' };
}

function showPage(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const payment = await findByToken(ctx.db, request.params.token);
    if (payment === null) return next();
    const { language, chosen } = languageOf(request);
    // The default, English, says nothing about the customer.
    const isAsked = chosen !== null || Boolean(request.headers['accept-language']);
    if (isAsked && isHumanView(request)) await recordLanguage(ctx, payment, language.id);
    response.set(PAGE_HEADERS).send(pageOf(ctx, adapters, payment, language, { chosen }));
  };
}

function showStatus(ctx: Context): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const payment = await findByToken(ctx.db, request.params.token);
    if (payment === null) return next();
    response.set(CHECKOUT_HEADERS).json(checkoutStatus(payment, withTestClockOf(ctx, payment).now()));
  };
}
