import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { qrPng, qrSvg } from '../../domain/checkout/markup/qr-code.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import { messagePage } from '../../domain/checkout/page/messages.ts';
import { buy } from '../../domain/links/buy.ts';
import { linkPath, stateOf } from '../../domain/links/link.ts';
import { linkPage, type LinkPage } from '../../domain/links/page.ts';
import { findLink, type ShownLink } from '../../domain/links/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { ApiError } from '../../domain/api/errors.ts';
import type { Context } from '../../platform/context.ts';
import { newToken } from '../../platform/values/ids.ts';
import type { Gate } from '../api/mount.ts';
import { isFromOwnPage } from '../checkout/refusal.ts';
import { languageOf, PAGE_HEADERS, sendPage } from '../checkout/page.ts';
import { showMaintenance } from '../checkout/messages.ts';

/** As that of the checkout page: at this rate no client guesses a token. */
const PAGES_PER_MINUTE = 300;

/** Of one address: each holds an item, and may take an address of the merchant's wallet. */
const PAYMENTS_PER_MINUTE = 10;

/** Of one link, from all addresses together. */
const PAYMENTS_PER_LINK = 60;

/** Five answers of 500 characters, of which each may be nine bytes in a form. */
const readForm = express.urlencoded({ extended: false, limit: '32kb', parameterLimit: 50 });

interface Served {
  readonly ctx: Context;
  readonly adapters: AdaptersByMode;
  readonly clients: Gate['clients'];
}

/** The public pages of payment links, below /l. */
export function linksRouter(
  { ctx, limit, clients }: Pick<Gate, 'ctx' | 'limit' | 'clients'>,
  adapters: AdaptersByMode,
): Router {
  const router = Router();
  const served = { ctx, adapters, clients };
  router.use('/l', limit('link', PAGES_PER_MINUTE, clients.addressOf));
  if (ctx.config.maintenance) router.use('/l', showMaintenance());
  const limitAddress = limit('link payment', PAYMENTS_PER_MINUTE, clients.addressOf);
  const limitLink = limit('payments of link', PAYMENTS_PER_LINK, ({ params }) => String(params.token));
  router.get('/l/:token', showLink(served, null));
  router.post('/l/:token', ownPageOnly(ctx), limitAddress, readForm, createByForm(served, limitLink));
  router.get('/l/:token/thanks', showLink(served, 'thanks'));
  router.get('/l/:token/code.svg', sendCode(ctx, 'image/svg+xml', qrSvg));
  router.get('/l/:token/code.png', sendCode(ctx, 'image/png', qrPng));
  return router;
}

type Handler = RequestHandler<{ token: string }>;

/** A page of another origin makes no visitor's browser create payments. */
function ownPageOnly(ctx: Context): Handler {
  const publicOrigin = new URL(ctx.config.publicUrl).origin;
  return (request, response, next) => {
    if (isFromOwnPage(request, publicOrigin)) return next();
    // The unread rest of a form would be parsed as the next request.
    response.set('Connection', 'close').status(403).set(PAGE_HEADERS);
    response.send(messagePage('badForm', languageOf(request).language));
  };
}

/** `state`: null: the link's own. */
function showLink(served: Served, state: 'thanks' | null): Handler {
  return async (request, response, next) => {
    const link = await findLink(served.ctx.db, request.params.token);
    if (link === null || (state === 'thanks' && link.thank_you === null)) return next();
    await send(served, request, response, link, { state });
  };
}

function createByForm(served: Served, limitLink: RequestHandler): Handler {
  const { ctx, adapters, clients } = served;
  return async (request, response, next) => {
    const link = await findLink(ctx.db, request.params.token);
    if (link === null) return next();
    const form = (request.body ?? {}) as Record<string, unknown>;
    const { chosen } = languageOf(request);
    const admit = () =>
      new Promise<void>((resolve, reject) => {
        // A limit passes on an ApiError, or nothing.
        const end = (error?: unknown) => (error instanceof Error ? reject(error) : resolve());
        void limitLink(request as Request, response, end);
      });
    const bought = await buy(ctx, adapters, link, { form, address: clients.addressOf(request), admit });
    if (bought === 'bad')
      return send(served, request, response.status(400), link, { entered: { form, fault: 'bad' } });
    if (bought === 'closed') {
      // Sold meanwhile: as it is now.
      const current = (await findLink(ctx.db, link.token)) ?? link;
      return send(served, request, response.status(409), current, {});
    }
    // They pay, or wait until they have not.
    if (bought === 'held') throw new ApiError('rate_limited');
    if (bought === 'unavailable') {
      // The same form: what it asks for is bought once, however often it is sent.
      response.status(503).set('Retry-After', '5');
      return send(served, request, response, link, { entered: { form, fault: 'later' } });
    }
    // 303: a reload of the page posts no form again.
    response.set(PAGE_HEADERS).redirect(303, `${checkoutPath(bought.token)}${languageQuery(chosen)}`);
  };
}

async function send(
  { ctx, adapters }: Served,
  request: Request<{ token: string }>,
  response: Response,
  link: ShownLink,
  {
    state = null,
    entered = null,
  }: Partial<{ state: LinkPage['state'] | null; entered: LinkPage['entered'] }>,
): Promise<void> {
  const { language, chosen } = languageOf(request);
  const current = link.is_suspended ? 'over' : stateOf(link, ctx.now());
  const page = linkPage({
    link,
    language,
    query: languageQuery(chosen),
    isTest: adaptersOf(adapters, link.merchant_mode).chains.isTest,
    state: state ?? current,
    nonce: entered?.fault === 'later' ? String(entered.form.nonce) : newToken(),
    entered,
  });
  await sendPage(request, response, page);
}

/** The QR code of a link's page, which says nothing else: it may be kept. */
function sendCode(ctx: Context, type: string, encode: (text: string) => string | Buffer): Handler {
  return async (request, response, next) => {
    const link = await findLink(ctx.db, request.params.token);
    if (link === null) return next();
    const image = encode(`${ctx.config.publicUrl}${linkPath(link.token)}`);
    response.set({
      'Content-Type': type,
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'public, max-age=86400',
    });
    response.send(Buffer.from(image));
  };
}
