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
  payment_id: string;
  tx_hash: string;
  coin: string;
  network: string;
  address: string;
  amount: string;
  sent_at: string;
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
  payment_id: string;
  /** Of the transfer that will never arrive. */
  tx_hash: string;
  coin: string;
  network: string;
  amount: string;
  /** The transaction that spends the money instead. */
  replaced_by: string;
  replaced_at: string;
}

export interface Advance {
  /** A number and s, m, h or d: "61m". */
  by: string;
}

export interface SandboxDelivery {
  at: string;
  event_id: string;
  type: string;
  sequence: number;
  attempt: number;
  status_code: number | null;
  error: string | null;
  next_attempt_at: string | null;
}

export interface AdvanceReport {
  /** The payment's time. */
  now: string;
  payment: Payment;
  /** What happened on the way, as the webhooks say it. */
  events: readonly {
    [key: string]: unknown;
  }[];
  deliveries: readonly SandboxDelivery[];
}

export type Coin = 'BTC' | 'ETH' | 'USDT' | 'USDC' | 'TRX' | 'SOL' | 'POL' | 'DAI';

export type Network = 'bitcoin' | 'ethereum' | 'tron' | 'polygon' | 'solana';
