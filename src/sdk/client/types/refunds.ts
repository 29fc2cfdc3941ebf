// Written by `npm run types:sdk`, from the schemas of the service.

export interface CreateRefund {
  /** In pay_currency; default: everything that is left. */
  amount?: string | undefined;
  /** For the merchant's own records. */
  reason?: string | undefined;
  /** Where the money goes, on the refund's network; default: the customer's choice. */
  address?: string | undefined;
  /**
   * The money goes to the address that it came from, when all of it came from one, in the coin and on
   * the network of the refund. Where another address was given, here or by the customer, the response
   * is a 409 that names it. Default: only for test payments, without another address.
   */
  to_sender?: boolean | undefined;
}

export interface Refund {
  /** Refund identifier. */
  id: string;
  /** The payment whose money goes back. */
  payment_id: string;
  /** In `currency`: what the payment is credited less. */
  amount: string;
  /** pay_currency of the payment. */
  currency: string;
  /** NEEDS_ADDRESS: the checkout page asks the customer where the money goes. */
  status: 'NEEDS_ADDRESS' | 'PENDING' | 'COMPLETED';
  /** When the refund was accepted. */
  created_at: string;
  /** The coin that is sent. */
  coin: string;
  /** The network on which it is sent. */
  network: string;
  /** What is sent, in `coin`. */
  coin_amount: string;
  /** Null while nobody has said where the money goes. */
  address: string | null;
  /** Null until the money is sent. */
  tx_hash: string | null;
  /** As it was given. */
  reason: string | null;
}

export interface RefundAddress {
  /** On `network`, as the customer confirmed it. */
  address: string;
  /** On which money goes back there. */
  network: string;
  /** When it was confirmed. Null: before the service kept the time. */
  given_at: string | null;
}

export interface RefundList {
  /** The rows of the page. */
  data: readonly Refund[];
  /**
   * Where the customer wants money back, as they said on the checkout page; the latest, where they
   * gave one on several networks. Null: they gave none.
   */
  refund_address: RefundAddress | null;
}
