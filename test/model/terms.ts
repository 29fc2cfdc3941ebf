import type { Coin, Method, Network } from './coins.ts';

export type Status = 'WAITING' | 'PENDING' | 'PROCESSING' | 'SETTLED' | 'EXPIRED' | 'FAILED' | 'REFUNDED';

export interface Terms {
  /** Decimal string in the settlement coin. */
  readonly price: string;
  readonly minutes: number;
  /** simulated: what came is sold for the settlement coin. par: it stays what it is. */
  readonly settlement: 'simulated' | 'par';
  readonly policy: {
    readonly underpaid: 'wait' | 'accept';
    readonly underpaid_tolerance_percent: number;
    readonly late: 'honour' | 'refund';
    readonly overpaid: 'keep' | 'refund_excess';
  };
}

/**
 * How much a transfer sends: `asked`, exactly what the quote of its coin asks; a percentage of the price at
 * the market's rate, up to the unit of a quote; that unit itself; or so many coins.
 */
export type Share = 'asked' | 'unit' | number | { readonly coins: string };

export type Action =
  | { readonly do: 'wait' }
  /** `direct`: sent to the address without choosing the coin, so that its rate is not locked. */
  | { readonly do: 'transfer'; readonly method: Method; readonly share: Share; readonly direct: boolean }
  | { readonly do: 'choose'; readonly method: Method }
  /** Sets the market's rate of a coin to a percentage of its first rate. */
  | { readonly do: 'market'; readonly coin: Coin; readonly percent: number }
  /** The index of a transfer sent so far, modulo their number. `speedUp`: it pays the same address again. */
  | { readonly do: 'replace'; readonly which: number; readonly speedUp: boolean }
  | { readonly do: 'reorg'; readonly depth: number }
  | { readonly do: 'mine'; readonly blocks: number }
  | { readonly do: 'fail_conversion' }
  /** `percent` of the price; null: all that is left. `to`: a network whose address the request names. */
  | { readonly do: 'refund'; readonly percent: number | null; readonly to: Network | null }
  /** The customer gives the address that the page asks for. */
  | { readonly do: 'give_address' };
