import type { Request, RequestHandler, Response } from 'express';
import { pageCsp } from '../../domain/checkout/page/document.ts';
import { embeddersOf } from '../../domain/checkout/page/embedding.ts';
import { messagePage, type Message } from '../../domain/checkout/page/messages.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Context } from '../../platform/context.ts';
import { languageOf, sendPage } from './page.ts';

/** Responds to a form with a message that leads back to the payment's page, and says TEST as that does. */
export async function sendRefusal(
  { ctx, adapters }: { ctx: Context; adapters: AdaptersByMode },
  request: Request<{ token: string }>,
  response: Response,
  { status, message }: { status: number; message: Message },
): Promise<void> {
  const { token } = request.params;
  const { language, chosen } = languageOf(request);
  const payment = await findByToken(ctx.db, token);
  const isTest = payment !== null && adaptersOf(adapters, payment.merchant_mode).chains.isTest;
  const about = { path: checkoutPath(token), query: languageQuery(chosen), isTest };
  await sendPage(request, response.status(status), {
    html: messagePage(message, language, about),
    policy: pageCsp(null, payment === null ? [] : embeddersOf(payment)),
  });
}

/**
 * Lets the page's own forms through, and refuses what a page of another origin makes a visitor's browser
 * post. In a frame of a shop the forms are the page's own as well: browsers name the origin of the document
 * that posts, not of those around it.
 */
export function ownPageOnly(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  const publicOrigin = new URL(ctx.config.publicUrl).origin;
  return (request, response, next) => {
    if (isFromOwnPage(request, publicOrigin)) return next();
    // The unread rest of a form would be parsed as the next request.
    response.set('Connection', 'close');
    return sendRefusal({ ctx, adapters }, request, response, { status: 403, message: 'badForm' });
  };
}

/**
 * By Sec-Fetch-Site, which no page can set (`none`: the visitor has sent the form again), where the browser
 * sends it: over https, and to localhost. Else by Origin, which browsers send with each POST: the service's,
 * or that of the host that they asked. Without both it is no browser of these years that posts, but a
 * program, which could write any header: nobody's visit is misused.
 */
export function isFromOwnPage({ headers }: Pick<Request, 'headers'>, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host = '' } = headers;
  if (origin === undefined || origin === publicOrigin) return true;
  return origin === `http://${host}` || origin === `https://${host}`;
}
