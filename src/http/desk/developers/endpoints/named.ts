import { getEndpoint } from '../../../../domain/webhooks/endpoint-list/list.ts';
import type { WebhookEndpoint } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { isId } from '../../../../platform/values/ids.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { attempt } from '../frame/forms.ts';
import { developersPath } from '../frame/frame.ts';

/** What paths call the endpoint of the merchant's own URL, which has no id. */
export const DEFAULT = 'default';

export const endpointsPath = (visit: AtMerchant) => `${developersPath(visit)}/endpoints`;

/** The page of an endpoint; null: that of a callback_url has none. */
export function endpointPath(visit: AtMerchant, endpoint: WebhookEndpoint): string | null {
  if (endpoint.default) return `${endpointsPath(visit)}/${DEFAULT}`;
  return endpoint.id === null ? null : `${endpointsPath(visit)}/${endpoint.id}`;
}

/** The endpoint that the path names: the id of a registered one, or null for the default one. */
export function namedEndpoint({ params }: AtMerchant): { readonly id: string | null } | 'missing' {
  const name = params.endpoint ?? '';
  if (name === DEFAULT) return { id: null };
  return isId('whe', name) ? { id: name } : 'missing';
}

/** The endpoint that the path names. */
export async function readNamed(visit: AtMerchant): Promise<WebhookEndpoint | 'missing'> {
  const { ctx, merchant } = visit;
  const named = namedEndpoint(visit);
  if (named === 'missing') return named;
  const { merchant_id: merchantId } = merchant;
  const read = await attempt(visit, () => getEndpoint(ctx.db, merchantId, named.id ?? merchantId, ctx.now()));
  return read === 'missing' || 'fault' in read ? 'missing' : read.done;
}
