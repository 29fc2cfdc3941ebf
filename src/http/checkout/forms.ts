import express, { type RequestHandler } from 'express';
import { findTransactionByToken } from '../../domain/checkout/actions/find-transaction.ts';
import { announceTransactionByToken } from '../../domain/checkout/actions/announce-transaction.ts';
import { selectMethodByToken } from '../../domain/checkout/actions/select-method.ts';
import { setReceiptAddressByToken } from '../../domain/checkout/actions/set-receipt-address.ts';
import { setRefundAddressByToken } from '../../domain/checkout/actions/set-refund-address.ts';
import { withFlag } from '../../domain/checkout/page/components.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { sendReceipt } from '../../domain/receipts/jobs.ts';
import { createReceipts } from '../../domain/receipts/store.ts';
import type { Context } from '../../platform/context.ts';
import { languageOf, PAGE_HEADERS, pageOf, sendPage } from './page.ts';
import { sendRefusal } from './refusal.ts';

/** Parses a form of the page; all of them are small. */
export const readForm: RequestHandler = express.urlencoded({ extended: false, limit: '1kb' });

const REFUSALS = {
  closed: { status: 409, message: 'closed' },
  badMethod: { status: 400, message: 'badMethod' },
  noRate: { status: 503, message: 'error' },
} as const;

/** Receives the form that selects a payment method. */
export function selectMethod(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { coin, network, open } = (request.body ?? {}) as Record<string, unknown>;
    const { chosen } = languageOf(request);
    const { token } = request.params;
    const result = await selectMethodByToken(ctx, adapters, token, coin, network);
    if (result === 'missing') return next();
    const path = `${checkoutPath(token)}${languageQuery(chosen)}`;
    const page = open === undefined ? path : withFlag(path, 'open');
    // 303: a reload of the page posts no form again. `#pay` keeps the customer's place on it.
    if (result === 'selected') return response.set(PAGE_HEADERS).redirect(303, `${page}#pay`);
    return sendRefusal({ ctx, adapters }, request, response, REFUSALS[result]);
  };
}

/** Receives the forms with the address that money goes back to: one asks for it, one confirms it. */
export function setRefundAddress(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const form = (request.body ?? {}) as Record<string, unknown>;
    const result = await setRefundAddressByToken(ctx, adapters, token, form);
    if (result === 'missing') return next();
    const path = `${checkoutPath(token)}${languageQuery(chosen)}`;
    if (result === 'saved') return response.set(PAGE_HEADERS).redirect(303, `${path}#refund`);
    if (result === 'closed')
      return sendRefusal({ ctx, adapters }, request, response, { status: 409, message: 'refundClosed' });
    const { entered, payment } = result;
    const page = await pageOf(ctx, adapters, payment, language, { chosen, entered });
    return sendPage(request, response.status(entered.step === 'refused' ? 400 : 200), page);
  };
}

/** Receives the form that looks a transaction up, and what the page's script says of one (with `chain`). */
export function findTransaction(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { tx, chain } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const looked =
      chain === undefined
        ? await findTransactionByToken(ctx, adapters, token, tx)
        : await announceTransactionByToken(ctx, adapters, token, { tx, chain });
    if (looked === null) return next();
    const { result, payment } = looked;
    // What a wallet has sent the page's state says, unless it pays nothing.
    const isSaid = chain === undefined || ['elsewhere', 'dropped'].includes(result);
    const found = isSaid ? { input: typeof tx === 'string' ? tx : '', result } : null;
    const page = await pageOf(ctx, adapters, payment, language, { chosen, found });
    return sendPage(request, response.status(result === 'bad' ? 400 : 200), page);
  };
}

const RECEIPTS = { job: sendReceipt, create: createReceipts };

/** Receives the form with the mail address for the receipt. */
export function setReceiptAddress(ctx: Context, adapters: AdaptersByMode): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { mail } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const { token } = request.params;
    const given = { mail, language: language.id };
    const result = await setReceiptAddressByToken(ctx, token, given, RECEIPTS);
    if (result === 'missing') return next();
    if (result === 'saved')
      return response.set(PAGE_HEADERS).redirect(303, `${checkoutPath(token)}${languageQuery(chosen)}#proof`);
    if (result === 'closed')
      return sendRefusal({ ctx, adapters }, request, response, { status: 409, message: 'mailClosed' });
    const options = { chosen, mail: typeof mail === 'string' ? mail : '' };
    const page = await pageOf(ctx, adapters, result.refused, language, options);
    return sendPage(request, response.status(400), page);
  };
}

/**
 * Leads who reloads the response to a form, or comes back to it, to the page: a form's path has no page of
 * its own.
 */
export const backToPage: RequestHandler<{ token: string }> = (request, response) => {
  const { chosen } = languageOf(request);
  response.set(PAGE_HEADERS).redirect(303, `${checkoutPath(request.params.token)}${languageQuery(chosen)}`);
};
