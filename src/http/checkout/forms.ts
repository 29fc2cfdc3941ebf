import express, { type RequestHandler } from 'express';
import { selectMethodByToken } from '../../domain/checkout/actions/select-method.ts';
import { messagePage } from '../../domain/checkout/page/messages.ts';
import { setRefundAddressByToken } from '../../domain/checkout/actions/set-refund-address.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Context } from '../../platform/context.ts';
import { languageOf, PAGE_HEADERS, pageOf } from './page.ts';

/** Parses a form of the page; all of them are small. */
export const readForm: RequestHandler = express.urlencoded({ extended: false, limit: '1kb' });

/** Receives the form that selects a payment method. */
export function selectMethod(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { coin, network } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const result = await selectMethodByToken(ctx, adapters, token, coin, network);
    if (result === 'missing') return next();
    const page = `${checkoutPath(token)}${languageQuery(chosen)}`;
    // 303: a reload of the page posts no form again. `#pay` keeps the customer's place on it.
    if (result === 'selected') return response.set(PAGE_HEADERS).redirect(303, `${page}#pay`);
    response.status(result === 'closed' ? 409 : 400).set(PAGE_HEADERS);
    response.send(messagePage(result, language, page));
  };
}

/** Receives the form with the address that money goes back to. */
export function setRefundAddress(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { address } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const result = await setRefundAddressByToken(ctx, adapters, token, address);
    if (result === 'missing') return next();
    const path = `${checkoutPath(token)}${languageQuery(chosen)}`;
    if (result === 'saved') return response.set(PAGE_HEADERS).redirect(303, `${path}#refund`);
    if (result === 'closed')
      return response
        .status(409)
        .set(PAGE_HEADERS)
        .send(messagePage('refundClosed', language, path));
    const { invalidFor: payment } = result;
    const refused = typeof address === 'string' ? address : '';
    const page = pageOf(ctx, adapters, payment, language, { chosen, refused });
    return response.status(400).set(PAGE_HEADERS).send(page);
  };
}
