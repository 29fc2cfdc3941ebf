import type { Payment } from '../../payments/lifecycle/payment.ts';

/**
 * Where the customer goes after paying: the merchant's `success_url` with `payment_id`, `order_id` and `status` behind its own query.
 * Null when there is none.
 */
export function successLink(payment: Payment): string | null {
  const url = webUrl(payment.success_url);
  if (url === null) return null;
  const added = new URLSearchParams({
    payment_id: payment.id,
    order_id: payment.order_id,
    status: payment.status,
  });
  // As text: going through searchParams would write the merchant's own query anew.
  url.search = url.search === '' ? `?${added.toString()}` : `${url.search}&${added.toString()}`;
  return url.href;
}

/** The merchant's way out of an unpaid payment; null when there is none. */
export function cancelLink(payment: Payment): string | null {
  return webUrl(payment.cancel_url)?.href ?? null;
}

/** What was stored was examined when it came; a link that runs a script would be so bad that it is looked at again. */
function webUrl(stored: string | null): URL | null {
  if (stored === null || !URL.canParse(stored)) return null;
  const url = new URL(stored);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
