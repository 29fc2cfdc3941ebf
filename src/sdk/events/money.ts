/**
 * How the money of a payment becomes the merchant's. par: the settlement coin came to their own wallet.
 * as_received: another coin did, and stays. exchange: it is sold at their account. simulated: nothing moves.
 */
export type SettlementMode = 'par' | 'as_received' | 'exchange' | 'simulated';

/** In what a payment settles, or was settled. */
export interface CheckoutSettlement {
  /** Until the payment is settled: what is planned. */
  readonly mode: SettlementMode;
  /** Null: it was settled in several coins, each as it came. */
  readonly coin: string | null;
  /** Null: it is sold at an exchange, or was settled on several networks. */
  readonly network: string | null;
  /** In `coin`; null until the payment is settled, and for several coins. Of a sale without the fee. */
  readonly amount: string | null;
  /** Only while the payment is PROCESSING and its money cannot be sold: why, in a word. */
  readonly problem?: string;
}

/** A price in money, and what it was converted by to the settlement coin. */
export interface CheckoutPrice {
  /** As it was given. */
  readonly amount: string;
  /** Its code in ISO 4217. */
  readonly currency: string;
  /** What one coin of the settlement coin costs in `currency`: the price is divided by it, and rounded up. */
  readonly rate: string;
  /** When the older of the two prices was made of which the rate is the quotient, ISO 8601. */
  readonly rated_at: string;
  /** Who agrees on them. */
  readonly sources: readonly string[];
}

/** The refund that a `checkout.refunded` reports. */
export interface CheckoutRefund {
  /** The refund's id. */
  readonly id: string;
  /** What the payment is credited less, in `currency`. */
  readonly amount: string;
  /** The settlement coin. */
  readonly currency: string;
  /** As it was given. */
  readonly reason: string | null;
  /** The coin that was sent. */
  readonly coin: string;
  /** The network on which it was sent. */
  readonly network: string;
  /** How much was sent, in `coin`. */
  readonly coinAmount: string;
  /** Where it was sent. */
  readonly address: string | null;
  /** The transaction that sent it. */
  readonly txHash: string | null;
  /** Only of a refund that was asked for in money: what `amount` was converted of. */
  readonly price?: CheckoutPrice;
}

/** The transfer that a `checkout.funds_received` reports. */
export interface CheckoutTransfer {
  /** The coin that came. */
  readonly coin: string;
  /** The network on which it came. */
  readonly network: string;
  /** In `coin`. */
  readonly amount: string;
  /** What it is worth, in the settlement coin; decided when it was first seen. */
  readonly credit: string;
  /** The transaction that brought it; null: a contract sent it, and only the balance tells. */
  readonly txHash: string | null;
}
