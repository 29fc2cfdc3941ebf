import type { NetworkId } from '../../chain/networks.ts';
import { ValidationError } from '../../api/errors.ts';
import { parseUrl } from '../../../platform/values/urls.ts';
import { isFrameOrigin, type StoredAppearance } from '../view/appearance.ts';
import { isSame, type PaymentMethod } from '../view/offer.ts';
import type { AppearanceBody } from './schemas.ts';

/** What a merchant chooses, as it is stored; the logo has an endpoint of its own. */
export type Choices = Omit<StoredAppearance, 'logo'>;

/** What validation depends on beside the request. */
export interface Surroundings {
  /** The networks that serve the merchant. */
  readonly networks: readonly NetworkId[];
  /** In what its payments can be settled; null: whatever comes is converted. */
  readonly settled: readonly PaymentMethod[] | null;
  /** http is allowed too. */
  readonly allowPrivate: boolean;
}

/**
 * The choices of a request that its schema has passed; what it leaves out is the default. Throws
 * ValidationError for what a schema cannot say.
 */
export function choicesOf(body: AppearanceBody, surroundings: Surroundings): Choices {
  const methods = (body.methods ?? null) as readonly PaymentMethod[] | null;
  const { name = null, support_url: support = null, embed_origins: origins = [] } = body;
  if (name?.trim() === '') throw new ValidationError('name', 'pattern', 'must have a visible character');
  for (const [index, method] of (methods ?? []).entries())
    refuse(`methods.${index}`, 'enum', methodFault(method, surroundings));
  for (const [index, origin] of origins.entries())
    refuse(`embed_origins.${index}`, 'format', originFault(origin, surroundings.allowPrivate));
  return {
    name,
    support_url: support,
    accent_color: body.accent_color?.toLowerCase() ?? null,
    display_currency: body.display_currency ?? null,
    methods,
    embed_origins: origins,
  };
}

function refuse(field: string, constraint: string, fault: string | null): void {
  if (fault !== null) throw new ValidationError(field, constraint, fault);
}

function methodFault(method: PaymentMethod, { networks, settled }: Surroundings): string | null {
  const { coin, network } = method;
  if (!networks.includes(network)) return `cannot be on ${network}, which does not serve this merchant`;
  if (settled === null || settled.some((one) => isSame(one, method))) return null;
  const taken = settled.map((one) => `${one.coin} on ${one.network}`).join(', ');
  return `cannot be ${coin} on ${network}: live payments take ${taken}; the operator of the service adds others`;
}

function originFault(origin: string, allowPrivate: boolean): string | null {
  const isOrigin = isFrameOrigin(origin) && parseUrl(origin)?.origin === origin;
  if (isOrigin && (allowPrivate || origin.startsWith('https:'))) return null;
  const scheme = allowPrivate ? 'https or http' : 'https';
  return `must be an ${scheme} origin in lower case, such as https://shop.example, without a path, a wildcard or the scheme's own port`;
}
