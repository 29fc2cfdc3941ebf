import type { Request } from 'express';
import { languageFor, languageNamed, type Language } from '../../domain/languages/languages.ts';
import { checkoutPage, type PageOptions } from '../../domain/checkout/page/page.ts';
import type { CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';

/** The page of a payment as it is at its own time. */
export function pageOf(
  ctx: Context,
  payment: CheckoutPayment,
  language: Language,
  options: PageOptions,
): string {
  const now = withTestClockOf(ctx, payment).now();
  return checkoutPage(payment, now, language, { ...options, hasSandbox: ctx.config.sandbox });
}

/** `?lang=`, then the browser's, then English. A query that cannot be read is no reason to show no page. */
export function languageOf(request: Pick<Request, 'url' | 'headers'>): {
  language: Language;
  chosen: Language | null;
} {
  const [, query = ''] = request.url.split('?', 2);
  const chosen = languageNamed(new URLSearchParams(query).get('lang'));
  return { chosen, language: chosen ?? languageFor(request.headers['accept-language']) };
}
