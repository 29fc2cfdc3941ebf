// Written by `npm run types:sdk`, from the schemas of the service.

import type { Coin, Network } from './sandbox.ts';
import type { Currency } from './service.ts';

export interface SetAppearance {
  /** Null: the merchant's own name. */
  name?: string | null | undefined;
  /** Where customers find help: an https URL, or mailto: and one address. Null: no button. */
  support_url?: string | null | undefined;
  /** Null: the page's own. */
  accent_color?: string | null | undefined;
  /** In which the page shows the price too, about. Null: in no other currency. */
  display_currency?: DisplayCurrency | undefined;
  /**
   * What customers can pay with, in this order. Null: everything that is served, cheapest network
   * first.
   */
  methods?: PaymentMethods | undefined;
  /** Origins whose pages may show the checkout in a frame, such as https://shop.example. */
  embed_origins?: readonly string[] | undefined;
  /** Ignored. */
  accent_used?: unknown;
  /** Ignored: PUT /v1/checkout/logo sets it. */
  logo?: unknown;
  /** Ignored. */
  updated_at?: unknown;
}

export interface Appearance {
  /** Null: the merchant's own name. */
  name: string | null;
  /** Where customers find help: an https URL, or mailto: and one address. Null: no button. */
  support_url: string | null;
  /** Null: the page's own. */
  accent_color: string | null;
  /** In which the page shows the price too, about. Null: in no other currency. */
  display_currency: DisplayCurrency;
  /**
   * What customers can pay with, in this order. Null: everything that is served, cheapest network
   * first.
   */
  methods: PaymentMethods;
  /** Origins whose pages may show the checkout in a frame, such as https://shop.example. */
  embed_origins: readonly string[];
  /**
   * The accent colour as the page uses it for links, focus and progress; buttons have it as it is.
   */
  accent_used: {
    /** In the light scheme: mixed with black until text in it can be read. */
    light: string;
    /** In the dark scheme: mixed with white until text in it can be read. */
    dark: string;
  } | null;
  /** Null: there is none. */
  logo: {
    /** Where the page loads it. */
    url: string;
    /** In pixels. */
    width: number;
    /** In pixels. */
    height: number;
  } | null;
  /** Null: nothing was ever set. */
  updated_at: string | null;
}

export type DisplayCurrency = Currency | null;

export type PaymentMethods =
  | readonly {
      /** The coin. */
      coin: Coin;
      /** A network of the coin. */
      network: Network;
    }[]
  | null;
