import type { Payment } from '../../payments/lifecycle/payment.ts';
import { isMailAddress } from '../../../platform/values/emails.ts';
import { parseUrl } from '../../../platform/values/urls.ts';

/**
 * Where the customer goes after paying: the merchant's `success_url` with `payment_id`, `order_id` and
 * `status` behind its own query. Null when it has none.
 */
export function successLink(payment: Payment): string | null {
  const url = webUrl(payment.success_url);
  if (url === null) return null;
  const added = new URLSearchParams({
    payment_id: payment.id,
    order_id: payment.order_id,
    status: payment.status,
  });
  // As text: searchParams would encode the merchant's own query differently.
  url.search = url.search === '' ? `?${added.toString()}` : `${url.search}&${added.toString()}`;
  return url.href;
}

/** The merchant's way out of an unpaid payment; null when there is none. */
export function cancelLink(payment: Payment): string | null {
  return webUrl(payment.cancel_url)?.href ?? null;
}

/**
 * The merchant's place for help, null when they named none. A mail to it begins with the order, so that they
 * know which one it is about.
 */
export function supportLink(stored: string | null, orderId: string): string | null {
  const url = stored === null ? null : parseUrl(stored);
  if (url?.protocol === 'mailto:') return `${url.href}?subject=${encodeURIComponent(orderId)}`;
  return webUrl(stored)?.href ?? null;
}

/** The address of a merchant's place for help, where that is one of mail. */
export function mailAddressOf(stored: string | null): string | null {
  const url = stored === null ? null : parseUrl(stored);
  return url?.protocol === 'mailto:' && isMailAddress(url.pathname) ? url.pathname : null;
}

/**
 * The API validates the URL when it stores it. This second check keeps a link that runs a script off the page
 * whatever the row holds.
 */
function webUrl(stored: string | null): URL | null {
  const url = stored === null ? null : parseUrl(stored);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : null;
}
