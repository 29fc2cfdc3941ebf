// Written by `npm run types:sdk`, from the schemas of the service.

import type { Payment } from './payments.ts';

export interface SendTransfer {
  /**
   * In units of the coin, with at most the coin's decimals on its network; default: what is still
   * missing.
   */
  amount?: string | undefined;
  /** Default: the payment's coin. */
  coin?: Coin | undefined;
  /** Default: the payment's network. */
  network?: Network | undefined;
}

export interface Transfer {
  /** The payment that it pays. */
  payment_id: string;
  /** The transaction. */
  tx_hash: string;
  /** The coin that was sent. */
  coin: string;
  /** The network on which it was sent. */
  network: string;
  /** The payment's address there. */
  address: string;
  /** In coin. */
  amount: string;
  /** In the payment's time. */
  sent_at: string;
}

export interface MoveRates {
  /** US dollars per coin; null: the price of the simulated market again. */
  rates: {
    /** In US dollars; null: its fixed price. */
    BTC?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    ETH?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    USDT?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    USDC?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    TRX?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    SOL?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    POL?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    DAI?: string | null | undefined;
    /** In US dollars; null: its fixed price. */
    BNB?: string | null | undefined;
  };
}

export interface MarketRates {
  /** Every coin's price for the merchant's test payments. */
  rates: {
    /** In US dollars. */
    BTC: string;
    /** In US dollars. */
    ETH: string;
    /** In US dollars. */
    USDT: string;
    /** In US dollars. */
    USDC: string;
    /** In US dollars. */
    TRX: string;
    /** In US dollars. */
    SOL: string;
    /** In US dollars. */
    POL: string;
    /** In US dollars. */
    DAI: string;
    /** In US dollars. */
    BNB: string;
  };
}

export interface ReplaceTransfer {
  /** Which one: 1 is the first that was sent; default: the latest that stands. */
  transfer?: number | undefined;
  /**
   * true: the replacement pays the same address, as a wallet's "speed up" does; default false: the
   * money is spent elsewhere.
   */
  speed_up?: boolean | undefined;
}

export interface ReplacedTransfer {
  /** The payment that it would have paid. */
  payment_id: string;
  /** Of the transfer that will never arrive. */
  tx_hash: string;
  /** The coin that was sent. */
  coin: string;
  /** The network on which it was sent. */
  network: string;
  /** In coin. */
  amount: string;
  /** The transaction that spends the money instead. */
  replaced_by: string;
  /** In the payment's time. */
  replaced_at: string;
}

export interface Advance {
  /** A number and s, m, h or d: "61m". */
  by: string;
}

export interface SandboxDelivery {
  /** In the payment's time. */
  at: string;
  /** The event that was sent. */
  event_id: string;
  /** Its type. */
  type: string;
  /** The event's number of its payment. */
  sequence: number;
  /** 1 for the first attempt. */
  attempt: number;
  /** Null without a response. */
  status_code: number | null;
  /** Why it failed; null: it did not. */
  error: string | null;
  /** Null: there is none. */
  next_attempt_at: string | null;
}

export interface AdvanceReport {
  /** The payment's time. */
  now: string;
  /** The payment. */
  payment: Payment;
  /** What happened on the way, as the webhooks say it. */
  events: readonly {
    [key: string]: unknown;
  }[];
  /** Every attempt to deliver one. */
  deliveries: readonly SandboxDelivery[];
}

export type Coin = 'BTC' | 'ETH' | 'USDT' | 'USDC' | 'TRX' | 'SOL' | 'POL' | 'DAI' | 'BNB';

export type Network =
  | 'bitcoin'
  | 'ethereum'
  | 'tron'
  | 'polygon'
  | 'solana'
  | 'base'
  | 'arbitrum'
  | 'optimism'
  | 'bnb';
