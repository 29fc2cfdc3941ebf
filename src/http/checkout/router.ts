import { Router, type RequestHandler } from 'express';
import { EMBED_SCRIPT_PATH } from '../../domain/checkout/page/embedding.ts';
import { recordLanguage } from '../../domain/checkout/actions/record-language.ts';
import { selectOnlyMethod } from '../../domain/checkout/actions/select-method.ts';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
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
import { showMaintenance } from './messages.ts';
import { ownPageOnly } from './refusal.ts';
import { CHECKOUT_HEADERS, isHumanView, languageOf, pageOf, sendPage } from './page.ts';
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
