import type { EventType } from '../../payments/lifecycle/states.ts';
import type { Account } from '../../payments/ledger/ledger.ts';

/** What happened to a payment, by its kind. */
export interface Facts {
  readonly event: { readonly type: EventType; readonly sequence: number; readonly status: string };
  readonly transfer: {
    readonly amount: string;
    readonly coin: string;
    readonly network: string;
    readonly tx_hash: string | null;
    readonly confirmations: number;
    readonly is_final: boolean;
    readonly is_dropped: boolean;
  };
  readonly refund: {
    readonly coin_amount: string;
    readonly coin: string;
    readonly network: string;
    readonly status: string;
    readonly tx_hash: string | null;
    readonly reason: string | null;
  };
  readonly delivery: {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
    readonly status: string;
    readonly attempts: number;
    readonly status_code: number | null;
    readonly error: string | null;
  };
  readonly ledger: {
    readonly from: Account;
    readonly to: Account;
    readonly amount: string;
    readonly coin: string;
    readonly network: string;
  };
  /** To the customer. `error`: what the mail server said, or why it was not sent. */
  readonly mail: {
    readonly about: 'receipt' | 'address' | 'refund' | 'given';
    readonly is_sent: boolean;
    readonly error: string | null;
  };
  /** Of a person, a key or a command. */
  readonly action: { readonly command: string; readonly by: string };
}

export type Happened = {
  [Kind in keyof Facts]: { readonly kind: Kind; readonly at: Date; readonly facts: Facts[Kind] };
}[keyof Facts];
