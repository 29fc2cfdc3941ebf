import { createHash } from 'node:crypto';
import type { CurrencyId } from '../chain/currencies.ts';
import type { LinkField, LinkResource } from './schemas.ts';

/** A payment link as it is stored. */
export interface Link {
  readonly id: string;
  readonly merchant_id: string;
  readonly token: string;
  readonly title: string;
  readonly description: string | null;
  readonly prices: { name?: string; amount: string; closed?: boolean }[] | null;
  readonly open_amount: { min: string; max: string } | null;
  readonly price_currency: CurrencyId | null;
  readonly fields: Required<LinkField>[];
  readonly max_uses: number | null;
  readonly stock: number | null;
  readonly taken: number;
  readonly expiration_minutes: number;
  readonly success_url: string | null;
  readonly thank_you: string | null;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly archived_at: Date | null;
  /** Since when it takes no payment, until it goes on; null: it does. */
  readonly paused_at: Date | null;
}

/**
 * Whether a link takes a payment. `sold`: another payment that ends unpaid may open it again. `paused`: the
 * merchant may. `over`: nothing does.
 */
export type LinkState = 'open' | 'sold' | 'paused' | 'over';

/** What the link would say of a payment now; the statement that takes an item decides. */
export function stateOf(link: Link, now: Date): LinkState {
  const isPast = link.expires_at !== null && link.expires_at <= now;
  if (isPast || link.archived_at !== null) return 'over';
  if (link.paused_at !== null) return 'paused';
  const most = Math.min(link.max_uses ?? Infinity, link.stock ?? Infinity);
  return link.taken < most ? 'open' : 'sold';
}

/** Its items are counted: who holds one keeps others from it. */
export const isBounded = ({ stock, max_uses }: Link): boolean => stock !== null || max_uses !== null;

/** How many items no payment holds; null: they are not counted. Late money may have taken more than all. */
export const leftOf = ({ stock, taken }: Link): number | null =>
  stock === null ? null : Math.max(0, stock - taken);

/** What a page of the link offers: a form of a page that offers something else is not taken. */
export function offerOf({ prices, open_amount, price_currency }: Link): string {
  const offer = JSON.stringify([prices, open_amount, price_currency]);
  return createHash('sha256').update(offer).digest('base64url').slice(0, 16);
}

/** The path of the page that a link's token opens. */
export function linkPath(token: string): string {
  return `/l/${token}`;
}

/** Returns the link in the API's shape. */
export function toLink(link: Link, publicUrl: string, now: Date): LinkResource {
  const url = `${publicUrl}${linkPath(link.token)}`;
  return {
    id: link.id,
    url,
    code_url: `${url}/code.svg`,
    title: link.title,
    description: link.description,
    prices: link.prices,
    open_amount: link.open_amount,
    price_currency: link.price_currency,
    fields: link.fields,
    max_uses: link.max_uses,
    stock: link.stock,
    stock_left: leftOf(link),
    uses: link.taken,
    is_open: stateOf(link, now) === 'open',
    expires_at: link.expires_at?.toISOString() ?? null,
    expiration_minutes: link.expiration_minutes,
    success_url: link.success_url,
    thank_you: link.thank_you,
    created_at: link.created_at.toISOString(),
    archived_at: link.archived_at?.toISOString() ?? null,
    paused_at: link.paused_at?.toISOString() ?? null,
  };
}
