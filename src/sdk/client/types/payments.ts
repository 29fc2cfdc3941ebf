// Written by `npm run types:sdk`, from the schemas of the service.

import type { CheckoutPrice } from '../../event-types.ts';
import type { Currency } from './service.ts';

export type PaymentStatus =
  | 'WAITING'
  | 'PENDING'
  | 'PROCESSING'
  | 'SETTLED'
  | 'EXPIRED'
  | 'FAILED'
  | 'REFUNDED';

export interface Policy {
  /**
   * wait: for the rest, until the deadline. accept: what is short by at most the tolerance counts as
   * paid.
   */
  underpaid: 'wait' | 'accept';
  /** Only with underpaid: accept. */
  underpaid_tolerance_percent: number;
  /**
   * What happens with money that comes after the deadline. honour: it counts for 24 hours. refund: an
   * expired payment is sent back whole.
   */
  late: 'honour' | 'refund';
  /** What happens, after settlement, with what was too much. */
  overpaid: 'keep' | 'refund_excess';
}

export interface PolicyChoice {
  /**
   * wait: for the rest, until the deadline. accept: what is short by at most the tolerance counts as
   * paid.
   */
  underpaid?: 'wait' | 'accept' | undefined;
  /** Only with underpaid: accept. */
  underpaid_tolerance_percent?: number | undefined;
  /**
   * What happens with money that comes after the deadline. honour: it counts for 24 hours. refund: an
   * expired payment is sent back whole.
   */
  late?: 'honour' | 'refund' | undefined;
  /** What happens, after settlement, with what was too much. */
  overpaid?: 'keep' | 'refund_excess' | undefined;
}

export interface CreatePayment {
  /** Amount in the merchant's settlement currency; or else price_amount and price_currency. */
  pay_amount?: string | undefined;
  /** Price with at most the decimals of its currency: converted once, now, and rounded up. */
  price_amount?: string | undefined;
  /** Currency of price_amount, by its code in ISO 4217. */
  price_currency?: Currency | undefined;
  /** Merchant's order or invoice ID. */
  order_id: string;
  /** Shown on checkout. */
  order_description?: string | undefined;
  /** Webhook URL for this payment; overrides the default. */
  callback_url?: string | undefined;
  /** Redirect target after successful payment. */
  success_url?: string | undefined;
  /** Redirect target if the customer cancels. */
  cancel_url?: string | undefined;
  /** How long the customer has to pay. */
  expiration_minutes?: number | undefined;
  /** Customer address for receipts; its domain may be internationalised. */
  customer_email?: string | undefined;
  /** The merchant's own keys; every event carries them. */
  metadata?:
    | {
        [key: string]: string;
      }
    | undefined;
  /** What happens with too little, too late and too much. */
  policy?: PolicyChoice | undefined;
}

export interface Payment {
  /** Unique payment identifier. */
  id: string;
  /** Public checkout token, used inside checkout_url. */
  token_id: string;
  /** The merchant's order or invoice identifier, echoed from the request. */
  order_id: string;
  /** Hosted payment page to which the customer is redirected. */
  checkout_url: string;
  /** Current payment status. */
  status: PaymentStatus;
  /** Amount the customer must pay. */
  pay_amount: string;
  /** The merchant's settlement coin. */
  pay_currency: string;
  /** The merchant's settlement network. */
  pay_network: string;
  /** Amount actually paid; null until completed. */
  actually_paid: string | null;
  /** Coin the customer paid with; null until completed. */
  actually_paid_currency: string | null;
  /** Creation timestamp. */
  created_at: string;
  /** Expiration timestamp. */
  expires_at: string;
  /** Settlement timestamp; null until settled. */
  settled_at: string | null;
  /** The merchant's own keys. */
  metadata: {
    [key: string]: string;
  };
  /** What was unusual about the money, as a set. */
  exceptions: readonly ('underpaid' | 'overpaid' | 'late' | 'reorged' | 'replaced')[];
  /** Money seen on chain, credited in pay_currency as it came. */
  amount_received: string;
  /** Money sent back, in pay_currency. */
  amount_refunded: string;
  /** Number of the payment's latest event. */
  sequence: number;
  /** When the merchant cancelled the payment; null: they did not. */
  cancelled_at: string | null;
  /** In what the payment settles: until it is settled what is planned. */
  settlement: {
    /**
     * par: the settlement coin came to the merchant's own wallet. as_received: another accepted coin
     * did, and stays what it is. exchange: sold through the merchant's account. simulated: no real
     * money moves.
     */
    mode: 'par' | 'as_received' | 'exchange' | 'simulated';
    /** Null when the payment was settled in several coins, each as it came. */
    coin: string | null;
    /** Null at an exchange, and when it was settled on several networks. */
    network: string | null;
    /**
     * In coin; null until settled, and for several coins. At an exchange the proceeds without its
     * fee.
     */
    amount: string | null;
    /**
     * Only while the payment is PROCESSING and its money cannot be sold: why. The operator tries
     * again, or settles it as it came.
     */
    problem?:
      | 'exchange_unavailable'
      | 'rate_limited'
      | 'not_credited'
      | 'deposit_failed'
      | 'deposit_differs'
      | 'rate_unavailable'
      | 'price_moved'
      | 'below_minimum'
      | 'insufficient_funds'
      | 'order_refused'
      | 'key_refused'
      | 'no_account'
      | undefined;
  };
  /** In money, of which pay_amount was converted; null: it was asked for in coins. */
  price: CheckoutPrice | null;
}

export interface ListPayments {
  /** Which page; cursor walks through more than 10,000. */
  page?: number | undefined;
  /** How many a page holds at most. */
  limit?: number | undefined;
  /** next_cursor of the page before; not together with page. */
  cursor?: string | undefined;
  /** One status, or several separated by commas. */
  status?: readonly PaymentStatus[] | undefined;
  /** The merchant's order ID. */
  order_id?: string | undefined;
  /** Only payments from this date (ISO 8601), inclusive; after to_date it is a 400. */
  from_date?: string | undefined;
  /** Only payments up to this date, inclusive; a bare date is the whole UTC day. */
  to_date?: string | undefined;
}

export interface PaymentList {
  /** The rows of the page. */
  data: readonly Payment[];
  /** Where the page ends, and the next begins. */
  pagination: {
    /** Null when the page was reached by cursor. */
    page: number | null;
    /** How many a page holds at most. */
    limit: number;
    /** How many the filters fit; counted up to 10,000. */
    total: number;
    /** False: there are more than total. */
    total_is_exact: boolean;
    /** Null when the total is not exact. */
    total_pages: number | null;
    /** Whether another page follows. */
    has_more: boolean;
    /** Null on the last page. */
    next_cursor: string | null;
  };
}
