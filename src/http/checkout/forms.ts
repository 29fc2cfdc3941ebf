import express, { type RequestHandler } from 'express';
import { selectMethodByToken } from '../../domain/checkout/actions/select-method.ts';
import { messagePage } from '../../domain/checkout/page/messages.ts';
import { setRefundAddressByToken } from '../../domain/checkout/actions/set-refund-address.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import type { PaymentAdapters } from '../../domain/payments/lifecycle/ports.ts';
import type { Context } from '../../platform/context.ts';
import { languageOf, pageOf } from './page.ts';
import { PAGE_HEADERS } from './page-headers.ts';

/** Reads a form of the page, which is small. */
export const readForm: RequestHandler = express.urlencoded({ extended: false, limit: '1kb' });

/** The choice of a coin and a network. */
export function selectMethod(ctx: Context, adapters: PaymentAdapters): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { coin, network } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const choice = await selectMethodByToken(ctx, adapters, token, coin, network);
    if (choice === 'missing') return next();
    const page = `${checkoutPath(token)}${languageQuery(chosen)}`;
    // 303: the browser loads the page anew, and a reload of that sends no form. `#pay`: the customer stays where he was on it.
    if (choice === 'chosen') return response.set(PAGE_HEADERS).redirect(303, `${page}#pay`);
    response.status(choice === 'closed' ? 409 : 400).set(PAGE_HEADERS);
    response.send(messagePage(choice, language, page));
  };
}

/** The address that money goes back to. */
export function setRefundAddress(ctx: Context, adapters: PaymentAdapters): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { address } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const outcome = await setRefundAddressByToken(ctx, adapters, token, address);
    if (outcome === 'missing') return next();
    const path = `${checkoutPath(token)}${languageQuery(chosen)}`;
    if (outcome === 'kept') return response.set(PAGE_HEADERS).redirect(303, `${path}#refund`);
    if (outcome === 'closed')
      return response
        .status(409)
        .set(PAGE_HEADERS)
        .send(messagePage('refundClosed', language, path));
    const { badFor: payment } = outcome;
    const typed = typeof address === 'string' ? address : '';
    const page = pageOf(ctx, payment, language, { chosen, refused: typed });
    return response.status(400).set(PAGE_HEADERS).send(page);
  };
}
