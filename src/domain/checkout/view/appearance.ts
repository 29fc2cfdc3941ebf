import { methodsOf, type PaymentMethod, type Settling } from './offer.ts';

/** How a merchant appears on their customers' pages, and what they decide about them. */
export interface MerchantAppearance {
  readonly name: string;
  /** Where customers find help: a web page or a mailto link; null: the page names the merchant only. */
  readonly supportUrl: string | null;
  /** `#rrggbb`; null: the page's own. */
  readonly accentColor: string | null;
  /** In which the price is shown too, ISO 4217; null: in no other. */
  readonly displayCurrency: string | null;
  /** The methods on offer, in the merchant's order; null: all that are served, cheapest first. */
  readonly methods: readonly PaymentMethod[] | null;
  /** The origins whose pages may show the checkout page in a frame. */
  readonly embedOrigins: readonly string[];
  readonly logo: Logo | null;
}

/** Sizes in pixels of the image. */
export interface Logo {
  /** It changes with the image. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A merchant's choices as they are stored; null: no choice. */
export interface StoredAppearance {
  readonly name: string | null;
  readonly support_url: string | null;
  readonly accent_color: string | null;
  readonly display_currency: string | null;
  readonly methods: readonly PaymentMethod[] | null;
  readonly embed_origins: readonly string[];
  readonly logo: Logo | null;
}

/** SQL: the `Logo` of the row `f` of merchant_faces as JSON; null without one. */
export const LOGO = `CASE WHEN f.logo_id IS NOT NULL
      THEN json_build_object('id', f.logo_id, 'width', f.logo_width, 'height', f.logo_height) END`;

/** SQL: the `StoredAppearance` of the row `f` of merchant_faces as JSON; null without a row. */
export const STORED_APPEARANCE = `
  CASE WHEN f.merchant_id IS NOT NULL THEN json_build_object(
    'name', f.name, 'support_url', f.support_url, 'accent_color', f.accent_color,
    'display_currency', f.display_currency, 'methods', f.methods, 'embed_origins', f.embed_origins,
    'logo', ${LOGO}) END`;

/** A payment, with what its merchant has chosen. */
interface Shown extends Settling {
  readonly merchant_name: string;
  readonly appearance: StoredAppearance | null;
}

/** The appearance of the merchant of a payment on its page. */
export function appearanceOf(payment: Shown): MerchantAppearance {
  const { merchant_name, appearance } = payment;
  return {
    name: appearance?.name ?? merchant_name,
    supportUrl: appearance?.support_url ?? null,
    accentColor: appearance?.accent_color ?? null,
    displayCurrency: appearance?.display_currency ?? null,
    methods: methodsOf(payment, appearance?.methods ?? null),
    embedOrigins: appearance?.embed_origins ?? [],
    logo: appearance?.logo ?? null,
  };
}

/** Whether customers can pay with the method. */
export function isOffered({ methods }: MerchantAppearance, { coin, network }: PaymentMethod): boolean {
  return methods === null || methods.some((method) => method.coin === coin && method.network === network);
}

/** Where the image is served. The path changes with the image: every copy of it stays right. */
export function logoPath(id: string): string {
  return `/checkout/logos/${id}.webp`;
}

/**
 * A scheme, a host in ASCII and a port: a URL's host may hold `;`, `'` and `*`, which would end a directive
 * of a policy, or allow everybody. A policy cannot name an IPv6 address (CSP 3, 2.3.1).
 */
const FRAME_ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** True for an origin that a Content-Security-Policy can allow to show a page in a frame. */
export function isFrameOrigin(origin: string): boolean {
  return FRAME_ORIGIN.test(origin);
}
