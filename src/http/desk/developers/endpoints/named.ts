import { foundOr } from '../../../../domain/api/errors.ts';
import { getEndpoint } from '../../../../domain/webhooks/endpoint-list/list.ts';
import type { WebhookEndpoint } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { isId } from '../../../../platform/values/ids.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { developersPath } from '../frame/frame.ts';

/** What paths call the endpoint of the merchant's own URL, which has no id. */
export const DEFAULT = 'default';

export const endpointsPath = (visit: AtMerchant) => `${developersPath(visit)}/endpoints`;

/** The page of an endpoint; null: that of a callback_url has none. */
export function endpointPath(visit: AtMerchant, endpoint: WebhookEndpoint): string | null {
  if (endpoint.default) return `${endpointsPath(visit)}/${DEFAULT}`;
  return endpoint.id === null ? null : `${endpointsPath(visit)}/${endpoint.id}`;
}

/**
 * The endpoint that the path names: the id of a registered one, or null for the default one. Throws ApiError
 * endpoint_not_found.
 */
export function namedEndpoint({ params }: AtMerchant): string | null {
  const name = params.endpoint ?? '';
  if (name === DEFAULT) return null;
  return foundOr('endpoint_not_found', isId('whe', name) ? name : null);
}

/** The endpoint that the path names. Throws ApiError endpoint_not_found. */
export function readNamed(visit: AtMerchant): Promise<WebhookEndpoint> {
  const { ctx, merchant } = visit;
  const { merchant_id: merchantId } = merchant;
  return getEndpoint(ctx.db, merchantId, namedEndpoint(visit) ?? merchantId, ctx.now());
}
