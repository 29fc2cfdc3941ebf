import { PAGE_CSP } from '../../domain/checkout/page/document.ts';

/** What every answer below /checkout bears, whatever its type. */
export const CHECKOUT_HEADERS = {
  'Content-Security-Policy': PAGE_CSP,
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
  // The path opens the payment: nobody whom a link leads to may read it.
  'Referrer-Policy': 'origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

export const PAGE_HEADERS = { ...CHECKOUT_HEADERS, 'Content-Type': 'text/html; charset=utf-8' };
