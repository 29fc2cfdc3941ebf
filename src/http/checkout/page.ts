import type { Request } from 'express';
import { PAGE_CSP } from '../../domain/checkout/page/document.ts';
import { languageFor, languageNamed, type Language } from '../../domain/languages/languages.ts';
import { checkoutPage, type PageOptions } from '../../domain/checkout/page/page.ts';
import { adaptersOf, type AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';

/** The headers of every response below /checkout, of any type. */
export const CHECKOUT_HEADERS = {
  'Content-Security-Policy': PAGE_CSP,
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
  // The path opens the payment: no site that the page links to may read it.
  'Referrer-Policy': 'origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

export const PAGE_HEADERS = { ...CHECKOUT_HEADERS, 'Content-Type': 'text/html; charset=utf-8' };

/** The page of a payment at the payment's own time. */
export function pageOf(
  ctx: Context,
  adapters: AdaptersByMode,
  payment: CheckoutPayment,
  language: Language,
  options: PageOptions,
): string {
  const now = withTestClockOf(ctx, payment).now();
  const served = adaptersOf(adapters, payment.merchant_mode);
  return checkoutPage(payment, now, language, served, { ...options, hasSandbox: ctx.config.sandbox });
}

/** `?lang=`, then the browser's language, then English. A malformed query counts as none. */
export function languageOf(request: Pick<Request, 'url' | 'headers'>): {
  language: Language;
  chosen: Language | null;
} {
  const [, query = ''] = request.url.split('?', 2);
  const chosen = languageNamed(new URLSearchParams(query).get('lang'));
  return { chosen, language: chosen ?? languageFor(request.headers['accept-language']) };
}

/** Programs that fetch a link before a person does, in mail, chats and search. */
const BOTS = /(?<!cu)bot\b|crawl|spider|slurp|preview|scan|facebookexternalhit|whatsapp|curl|wget/i;

/**
 * True when a person seems to look: not for HEAD, for prefetching browsers, and for programs that name
 * themselves.
 */
export function isHumanView({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  const prefetch = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return (
    method === 'GET' &&
    prefetch.every((purpose) => purpose === undefined) &&
    !BOTS.test(headers['user-agent'] ?? '')
  );
}
