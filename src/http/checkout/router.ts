import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { EMBED_SCRIPT_PATH } from '../../domain/checkout/page/embedding.ts';
import { messagePage, type Message } from '../../domain/checkout/page/messages.ts';
import { recordLanguage } from '../../domain/checkout/actions/record-language.ts';
import { selectOnlyMethod } from '../../domain/checkout/actions/select-method.ts';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { isMoving, isUnavailable } from '../../platform/postgres/db.ts';
import { ApiError } from '../../domain/api/errors.ts';
import { faultOf as reasonsOf } from '../../platform/logging/reasons.ts';
import { noteFacts, withoutToken } from '../logging/access-log.ts';
import { sendAsset, sendEmbedScript, sendIcon, sendLogo } from './assets.ts';
import { showEvents } from './events.ts';
import {
  backToPage,
  findTransaction,
  readForm,
  selectMethod,
  setReceiptAddress,
  setRefundAddress,
} from './forms.ts';
import { ownPageOnly } from './refusal.ts';
import {
  CHECKOUT_HEADERS,
  isHumanView,
  languageOf,
  PAGE_HEADERS,
  PASSING_HEADERS,
  pageOf,
  sendPage,
} from './page.ts';
import type { PageStreams } from './page-streams.ts';
import type { Gate } from '../api/mount.ts';

/**
 * A page without a stream polls 20 times a minute, and an office shares one address. At this rate no
 * client guesses a token.
 */
const CHECKOUT_PER_MINUTE = 300;

/** Each may send a mail. */
const RECEIPTS_PER_MINUTE = 10;

/** Where the page's forms post to. */
const FORM_PATHS = ['coin', 'refund-address', 'transaction', 'receipt', 'simulate'].map(
  (form) => `/checkout/:token/${form}`,
);

/** As often as the page of the maintenance loads itself again. */
const MAINTENANCE_RETRY_SECONDS = '60';

/** The customers' pages, below /checkout. */
export function checkoutRouter(
  { ctx, limit, clients }: Pick<Gate, 'ctx' | 'limit' | 'clients'>,
  adapters: AdaptersByMode,
  streams: PageStreams,
): Router {
  const router = Router();
  // In front of the limit: they are read from memory, and a page without its script asks for more.
  router.get('/checkout/assets/:file', sendAsset);
  router.get('/favicon.ico', sendIcon);
  router.get(EMBED_SCRIPT_PATH, sendEmbedScript(ctx));
  router.use('/checkout', limit('checkout', CHECKOUT_PER_MINUTE, clients.addressOf));
  router.get('/checkout/logos/:file', sendLogo(ctx));
  if (ctx.config.maintenance) router.use('/checkout', showMaintenance());
  router.get('/checkout/:token', showPage(ctx, adapters));
  router.get('/checkout/:token/status', showStatus(ctx));
  router.get('/checkout/:token/events', showEvents(ctx, adapters, streams, clients));
  // Beside the token in the path the forms need no secret: there is no cookie.
  router.post(FORM_PATHS, ownPageOnly(ctx, adapters));
  router.post('/checkout/:token/coin', readForm, selectMethod(ctx, adapters));
  router.post('/checkout/:token/refund-address', readForm, setRefundAddress(ctx, adapters));
  router.post('/checkout/:token/transaction', readForm, findTransaction(ctx, adapters));
  const limitMails = limit('checkout receipt', RECEIPTS_PER_MINUTE, clients.addressOf);
  router.post('/checkout/:token/receipt', limitMails, readForm, setReceiptAddress(ctx, adapters));
  router.get(FORM_PATHS, backToPage);
  return router;
}

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
    const isToken = request.path.startsWith('/checkout/');
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
        path: withoutToken(request.path),
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
  if (isUnavailable(error) || isMoving(error)) return { status: 503, message: 'error' };
  // Errors of the form parser carry the status of the client's error.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status === 413) return { status, message: 'tooLong' };
  return status >= 400 && status < 500 ? { status, message: 'badForm' } : { status: 500, message: 'error' };
}

function showPage(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { token } = request.params;
    const found = await findByToken(ctx.db, token);
    if (found === null) return next();
    const { language, chosen } = languageOf(request);
    const isHuman = isHumanView(request);
    const isChanged = isHuman && (await selectOnlyMethod(ctx, adapters, found));
    const payment = isChanged ? ((await findByToken(ctx.db, token)) ?? found) : found;
    // The default, English, says nothing about the customer.
    const isAsked = chosen !== null || Boolean(request.headers['accept-language']);
    if (isAsked && isHuman) await recordLanguage(ctx, payment, language.id);
    const query = new URLSearchParams(request.url.split('?', 2)[1]);
    const options = { chosen, isStill: query.has('still'), isOpen: query.has('open') };
    await sendPage(request, response, await pageOf(ctx, adapters, payment, language, options));
  };
}

function showStatus(ctx: Context): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const payment = await findByToken(ctx.db, request.params.token);
    if (payment === null) return next();
    response.set(CHECKOUT_HEADERS).json(checkoutStatus(payment, withTestClockOf(ctx, payment).now()));
  };
}
