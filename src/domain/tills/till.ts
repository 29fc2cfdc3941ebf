import type { CurrencyId } from '../chain/currencies.ts';
import type { PaymentMethod } from '../checkout/view/offer.ts';

/** A till of a merchant: several devices may be it. */
export interface Till {
  readonly id: string;
  readonly merchant_id: string;
  readonly name: string;
  /** Null: amounts are in the settlement coin. */
  readonly price_currency: CurrencyId | null;
  /** What it offers of what the merchant accepts, in this order; null: all of it. */
  readonly methods: readonly PaymentMethod[] | null;
  /** How many sales it has made. */
  readonly sales: number;
  /** How many times it was closed. */
  readonly closes: number;
  readonly created_at: Date;
  /** It is no till any more; null: it is one. */
  readonly archived_at: Date | null;
}

/** Digits that a till's PIN has at least, and at most. */
export const PIN_DIGITS = { least: 4, most: 12 } as const;

/** Whether a PIN may be chosen: those that everybody tries first may not. */
export function isGoodPin(pin: string): boolean {
  if (!/^\d+$/.test(pin) || pin.length < PIN_DIGITS.least || pin.length > PIN_DIGITS.most) return false;
  return !/^(\d)\1+$/.test(pin) && !'01234567890'.includes(pin) && !'09876543210'.includes(pin);
}
