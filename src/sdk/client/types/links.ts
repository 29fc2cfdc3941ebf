// Written by `npm run types:sdk`, from the schemas of the service.

import type { Currency } from './service.ts';
import type { CursorPagination } from './deliveries.ts';
import type { DisplayCurrency } from './appearance.ts';

export interface CreateLink {
  /** What the page is about. */
  title: string;
  /** Shown below the title. */
  description?: string | undefined;
  /** One fixed price, or several to choose from; or else open_amount. */
  prices?:
    | readonly {
        /** What it is for; needed where there are several. */
        name?: string | undefined;
        /** In the merchant's settlement currency, or in price_currency. */
        amount: string;
        /** The page does not offer it now. */
        closed?: boolean | undefined;
      }[]
    | undefined;
  /** The customer chooses an amount within these bounds. */
  open_amount?:
    | {
        /** The least that a customer may pay. */
        min: string;
        /** The most. */
        max: string;
      }
    | undefined;
  /** Amounts are in this currency (ISO 4217), and converted when a payment is created. */
  price_currency?: Currency | undefined;
  /** What the page asks the customer. */
  fields?:
    | readonly {
        /** Key in the payment's metadata; link_id and option are taken. */
        key: string;
        /** What the page asks. */
        label: string;
        /** It cannot be left empty. */
        required?: boolean | undefined;
        /** Longest answer, in characters. */
        max_length?: number | undefined;
      }[]
    | undefined;
  /** How many payments may be open or paid; one that ends unpaid is not counted any more. */
  max_uses?: number | undefined;
  /** How many items there are: a payment holds one while it is open or paid. */
  stock?: number | undefined;
  /** From when on it takes no new payment. */
  expires_at?: string | undefined;
  /** How long a customer has to pay, and holds an item. */
  expiration_minutes?: number | undefined;
  /** Where a customer goes after paying. */
  success_url?: string | undefined;
  /** Shown after paying; without success_url. */
  thank_you?: string | undefined;
}

export interface UpdateLink {
  /** What the page is about. */
  title?: string | undefined;
  /** Shown below the title; null: nothing. */
  description?: string | null | undefined;
  /** In place of those before. */
  prices?:
    | readonly {
        /** What it is for; needed where there are several. */
        name?: string | undefined;
        /** In the merchant's settlement currency, or in price_currency. */
        amount: string;
        /** The page does not offer it now. */
        closed?: boolean | undefined;
      }[]
    | undefined;
  /** In place of the number before, no less than uses; null: there is no limit. */
  stock?: number | null | undefined;
  /** Adds so many to stock, or takes them away; in place of stock. */
  stock_change?: number | undefined;
  /** In place of the number before, no less than uses; null: there is no limit. */
  max_uses?: number | null | undefined;
  /** From when on it takes no new payment; null: never. */
  expires_at?: string | null | undefined;
  /** false: it takes no payment until it is true. */
  is_active?: boolean | undefined;
}

export interface Link {
  /** Link identifier; the order_id of its payments. */
  id: string;
  /** The page, to be given to customers. */
  url: string;
  /** A QR code of url, as SVG; with .png instead, as PNG. */
  code_url: string;
  /** What the page is about. */
  title: string;
  /** Shown below the title. */
  description: string | null;
  /** Null: the customer chooses an amount. */
  prices:
    | readonly {
        /** What it is for; needed where there are several. */
        name?: string | undefined;
        /** In the merchant's settlement currency, or in price_currency. */
        amount: string;
        /** The page does not offer it now. */
        closed?: boolean | undefined;
      }[]
    | null;
  /** Null: the prices are fixed. */
  open_amount: {
    /** The least that a customer may pay. */
    min: string;
    /** The most. */
    max: string;
  } | null;
  /** Null: amounts are in the settlement currency. */
  price_currency: DisplayCurrency;
  /** What the page asks the customer. */
  fields: readonly {
    /** Key in the payment's metadata; link_id and option are taken. */
    key: string;
    /** What the page asks. */
    label: string;
    /** It cannot be left empty. */
    required: boolean;
    /** Longest answer, in characters. */
    max_length: number;
  }[];
  /** Null: there is no limit. */
  max_uses: number | null;
  /** Null: there is no limit. */
  stock: number | null;
  /** What of it no payment holds. */
  stock_left: number | null;
  /** Its payments that are open or paid, and not sent back. */
  uses: number;
  /** Whether it takes a new payment now. */
  is_open: boolean;
  /** Null: it does not end by itself. */
  expires_at: string | null;
  /** How long a customer has to pay. */
  expiration_minutes: number;
  /** Where a customer goes after paying. */
  success_url: string | null;
  /** Shown after paying. */
  thank_you: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was closed for good; null: it was not. */
  archived_at: string | null;
  /** Since when it is not active; null: it is. */
  paused_at: string | null;
}

export interface ListLinks {
  /** How many a page holds at most. */
  limit?: number | undefined;
  /** next_cursor of the page before. */
  cursor?: string | undefined;
}

export interface LinkList {
  /** The rows of the page. */
  data: readonly Link[];
  /** Where the page ends, and the next begins. */
  pagination: CursorPagination;
}
