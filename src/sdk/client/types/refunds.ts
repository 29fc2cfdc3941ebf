// Written by `npm run types:sdk`, from the schemas of the service.

import type { CheckoutPrice } from '../../event-types.ts';
import type { Currency } from './service.ts';

export interface CreateRefund {
  /** In pay_currency; default: everything that is left. */
  amount?: string | undefined;
  /** Instead of amount, in price_currency: converted at the rate of the refund, and rounded up. */
  price_amount?: string | undefined;
  /** Currency of price_amount, in ISO 4217; default: that of the payment's price. */
  price_currency?: Currency | undefined;
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

export interface AnnounceRefund {
  /** Of the transaction that pays the refund: 0x and 64 hex digits, on Bitcoin without 0x. */
  tx_hash: string;
}

export interface UnsignedRequest {
  /** In hex. */
  chainId: string;
  /** The contract of a token; for a native coin the address of the refund. */
  to: string;
  /** The call: `transfer(address,uint256)`; `0x` for a native coin. */
  data: string;
  /** What is sent of the native coin, in its smallest unit, in hex. */
  value: string;
}

export interface BitcoinRequest {
  /** A partially signed transaction (BIP174) in base64: it spends deposits of your wallet. */
  psbt: string;
}

export interface RequestProblem {
  /** For programs, such as fee_too_high: the contract lists them. */
  code: string;
  /** Why, and what to do. */
  message: string;
}

export interface RefundProblem {
  /** For programs, such as wrong_amount: the contract lists them. */
  code: string;
  /** What is wrong, in words. */
  message: string;
  /** The transaction. */
  tx_hash: string;
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
  /**
   * NEEDS_ADDRESS: the checkout page asks the customer where the money goes. AWAITING_SIGNATURE: you
   * pay it, as `request` says where there is one. SENT: a transaction is announced or found. HELD:
   * ask the operator before you pay again. COMPLETED: paid; of live payments once a transfer of it is
   * final.
   */
  status: 'NEEDS_ADDRESS' | 'PENDING' | 'AWAITING_SIGNATURE' | 'SENT' | 'HELD' | 'COMPLETED';
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
  /** Only of a refund that was asked for in money: what `amount` was converted of. */
  price?: CheckoutPrice | undefined;
  /**
   * What you are to sign while the refund is AWAITING_SIGNATURE, as a wallet takes it
   * (`eth_sendTransaction`), without the sender and fees. Absent where the signer of the operator
   * pays it.
   */
  request?: UnsignedRequest | BitcoinRequest | undefined;
  /**
   * On Bitcoin, why there is no `request` while the refund is AWAITING_SIGNATURE; absent: there is
   * one, or it is being made.
   */
  request_problem?: RequestProblem | undefined;
  /** Why a transaction that was named last does not complete the refund; absent: nothing is wrong. */
  problem?: RefundProblem | undefined;
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
