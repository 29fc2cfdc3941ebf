import type { Request, Response } from 'express';
import { PAGE_CSP, PASSING_CSP } from '../../domain/checkout/page/document.ts';
import { readDisplayRates } from '../../domain/checkout/actions/read-display-rates.ts';
import { languageFor, languageNamed, type Language } from '../../domain/languages/languages.ts';
import {
  changedComponents,
  checkoutPage,
  policyFor,
  type PageOptions,
} from '../../domain/checkout/page/page.ts';
import { adaptersOf, type AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { sendCompressed } from '../protocol/send-compressed.ts';
import type { Render } from './open-pages.ts';

/** The headers of every response below /checkout, of any type. */
export const CHECKOUT_HEADERS = {
  'Content-Security-Policy': PAGE_CSP,
  'Cache-Control': 'no-store',
  // The path opens the payment: no site that the page links to may read it.
  'Referrer-Policy': 'origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

export const PAGE_HEADERS = {
  ...CHECKOUT_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  Vary: 'Accept-Language, Accept-Encoding',
};

/** The headers of a message that passes. */
export const PASSING_HEADERS = { ...PAGE_HEADERS, 'Content-Security-Policy': PASSING_CSP };

/** A page, and the policy that its response needs. */
export interface RenderedPage {
  readonly html: string;
  readonly policy: string;
}

/**
 * Sends a page, compressed as the browser accepts it, so that one round trip shows it. No cookie or secret of
 * another page is compressed with what a request says, so its length tells nothing (BREACH).
 */
export function sendPage(request: Request, response: Response, page: RenderedPage): Promise<void> {
  response.set({ ...PAGE_HEADERS, 'Content-Security-Policy': page.policy });
  return sendCompressed(request, response, { content: page.html, isKept: false });
}

/** The page of a payment at the payment's own time. */
export async function pageOf(
  ctx: Context,
  adapters: AdaptersByMode,
  payment: CheckoutPayment,
  language: Language,
  options: PageOptions,
): Promise<RenderedPage> {
  const now = withTestClockOf(ctx, payment).now();
  const served = adaptersOf(adapters, payment.merchant_mode);
  const isConverted = payment.price === null && Boolean(payment.appearance?.display_currency);
  const rates = isConverted ? await readDisplayRates(ctx, served) : null;
  if (!served.isSimulated) await served.priced.refresh(ctx.db, ctx.now());
  const html = checkoutPage(payment, now, language, served, { ...settingsOf(ctx), ...options, rates });
  return { html, policy: policyFor(payment) };
}

/** What the configuration decides about every page. */
function settingsOf({ config }: Context): PageOptions {
  return {
    hasSandbox: config.sandbox,
    publicUrl: config.publicUrl,
    sendsReceipts: config.smtpUrl !== null,
  };
}

/** Longest list of components that a page names: it has fewer than twenty. */
const MAX_HAVE = 1_000;

/**
 * Renders what a page must replace. Its request names the components that it has (`have=said.DIGEST,...`);
 * null: it names none. A page that reconnects by itself names those of its first request: it gets all.
 */
export function rendererFor(
  ctx: Context,
  adapters: AdaptersByMode,
  { url, headers }: Pick<Request, 'url' | 'headers'>,
): Render | null {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  const have = query.get('have')?.slice(0, MAX_HAVE);
  if (have === undefined) return null;
  const { language } = languageOf({ url, headers });
  const chosen = query.get('chosen') === 'true' ? language : null;
  const isReconnecting = Boolean(headers['last-event-id']);
  let shown: ReadonlyMap<string, string> = new Map(
    isReconnecting
      ? []
      : have.split(',').map((named) => [named.split('.')[0] ?? '', named.split('.')[1] ?? '']),
  );
  return (payment) => {
    const now = withTestClockOf(ctx, payment).now();
    const served = adaptersOf(adapters, payment.merchant_mode);
    const options = { ...settingsOf(ctx), chosen };
    const changed = changedComponents(shown, payment, now, language, served, options);
    shown = changed.digests;
    return changed.document;
  };
}

/** `?lang=`, then the browser's language, then English. A malformed query counts as none. */
export function languageOf(request: Pick<Request, 'url' | 'headers'>): {
  language: Language;
  chosen: Language | null;
} {
  const [, query = ''] = request.url.split('?', 2);
  const chosen = languageNamed(new URLSearchParams(query).get('lang'));
  const preferred = languageFor(request.headers['accept-language']);
  if (chosen === null) return { chosen, language: preferred };
  // The link names a language; the browser knows the region.
  const locale = chosen.locale === chosen.id && preferred.id === chosen.id ? preferred.locale : chosen.locale;
  return { chosen, language: { ...chosen, locale } };
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
