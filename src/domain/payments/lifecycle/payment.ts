import type { CoinId } from '../../chain/coins.ts';
import type { TestClock } from '../../../platform/clock.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Policy } from './policy.ts';
import type { Exception, Status } from './states.ts';

/** A payment as its row holds it. Amounts are decimal strings: `pay_*` and `amount_*` in the settlement coin, `crypto_amount` in `coin`. */
export interface Payment {
  readonly id: string;
  readonly merchant_id: string;
  readonly token_id: string;
  readonly order_id: string;
  readonly order_description: string | null;
  readonly callback_url: string | null;
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  readonly customer_email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pay_amount: string;
  readonly pay_currency: CoinId;
  readonly pay_network: NetworkId;
  readonly status: Status;
  readonly exceptions: readonly Exception[];
  readonly sequence: number;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly address: string;
  readonly crypto_amount: string;
  readonly tx_hash: string | null;
  readonly confirmations: number;
  /** Enough money was seen in time: it does not expire while it confirms. */
  readonly fully_funded: boolean;
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly actually_paid: string | null;
  readonly actually_paid_currency: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly deadline_at: Date;
  readonly settled_at: Date | null;
  readonly policy: Policy;
  /** On `pay_network`: where the customer wants money back; null: he has named none. */
  readonly refund_address: string | null;
  /** Of the checkout page, as the customer saw it last; null: he has not. */
  readonly language: string | null;
  /** Null: the world that everybody shares, in real time; else the payment's own. */
  readonly test_clock: string | null;
  /** bigint, so text */
  readonly clock_offset_ms: string;
  readonly clock_frozen_until: Date | null;
}

/** The clock that a payment lives by; null: the real one. */
export function testClockOf(
  columns: Pick<Payment, 'test_clock' | 'clock_offset_ms' | 'clock_frozen_until'>,
): TestClock | null {
  const { test_clock, clock_offset_ms, clock_frozen_until } = columns;
  return test_clock === null
    ? null
    : { id: test_clock, offsetMs: Number(clock_offset_ms), frozenUntil: clock_frozen_until };
}
