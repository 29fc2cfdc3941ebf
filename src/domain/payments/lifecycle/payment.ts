import type { CoinId } from '../../chain/coins.ts';
import type { Finality } from '../../chain/finality.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { SaleReason } from '../../exchange/port.ts';
import type { ScheduledJob } from '../../schedule/rows.ts';
import type { TestClock } from '../../../platform/clock.ts';
import type { Job } from '../../schedule/job.ts';
import type { CheckoutPrice, SettlementMode } from '../../../sdk/event-types.ts';
import type { Policy } from './policy.ts';
import type { Exception, Status } from './states.ts';

/**
 * A payment as its row stores it. Amounts are decimal strings: `pay_*` and `amount_*` in the settlement coin,
 * `crypto_amount` in `coin`.
 */
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
  /** In money, of which `pay_amount` was converted; null: its merchant asked for coins. */
  readonly price: CheckoutPrice | null;
  readonly status: Status;
  readonly exceptions: readonly Exception[];
  readonly sequence: number;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly address: string;
  readonly crypto_amount: string;
  /** The transfer that events describe: the payment waits, or waited longest, for it. */
  readonly tx_hash: string | null;
  /** Its network; null: none was seen, or an earlier release saw it on `network`. */
  readonly tx_network: NetworkId | null;
  readonly confirmations: number;
  /** What makes that transfer final, and before one is seen what would. */
  readonly finality: Finality;
  /** Enough money was seen in time: the payment does not expire while it confirms. */
  readonly fully_funded: boolean;
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly actually_paid: string | null;
  readonly actually_paid_currency: string | null;
  /** Until it is settled, only whether its coins are converted counts. */
  readonly settlement_mode: SettlementMode;
  /** What had settled when the payment did, where that is one coin; see `settlementOf`. */
  readonly settlement_coin: CoinId | null;
  readonly settlement_network: NetworkId | null;
  readonly settlement_amount: string | null;
  /** Why its money is not sold yet, where that waits for a person or for long; null: nothing is wrong. */
  readonly settlement_problem: SaleReason | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** `expires_at`, the time of its cancellation, or the end of the late window once late money came. */
  readonly deadline_at: Date;
  readonly settled_at: Date | null;
  /** When the merchant cancelled it; null: they did not. */
  readonly cancelled_at: Date | null;
  readonly policy: Policy;
  /** The language of the checkout page when the customer opened it last; null: they have not opened it. */
  readonly language: string | null;
  /**
   * The id of its test clock, equal to the payment's; null: it uses the system clock and the shared chains.
   */
  readonly test_clock: string | null;
  /** A bigint, thus a string. */
  readonly clock_offset_ms: string;
  readonly clock_frozen_until: Date | null;
  /** The wallet of a live payment, and its index there; null: a simulated address. */
  readonly wallet_id: string | null;
  readonly deposit_index: number | null;
  /** The exchange that has its addresses; null: none. */
  readonly exchange: string | null;
  /** The payment link that it holds an item of, while it is open or paid; null: it came by the API. */
  readonly link_id: string | null;
}

/** True for real money: its merchant sends it back from a wallet of theirs, for the service has no key. */
export const isReal = ({ wallet_id, exchange }: Pick<Payment, 'wallet_id' | 'exchange'>): boolean =>
  wallet_id !== null || exchange !== null;

/** SQL: the same of the row `p` of payments. */
export const IS_REAL = (p: string): string => `(${p}.wallet_id IS NOT NULL OR ${p}.exchange IS NOT NULL)`;

/** Returns when the time to pay ends, or ended: at the deadline, or when the merchant cancelled before it. */
export function payableUntil({
  expires_at,
  cancelled_at,
}: Pick<Payment, 'expires_at' | 'cancelled_at'>): Date {
  return cancelled_at !== null && cancelled_at < expires_at ? cancelled_at : expires_at;
}

/** Returns the network of the transfer that events describe, and before one is seen the payment's own. */
export const networkOfTransfer = ({ tx_network, network }: Pick<Payment, 'tx_network' | 'network'>) =>
  tx_network ?? network;

/** The columns of a payment that hold its test clock. */
export type ClockColumns = Pick<Payment, 'test_clock' | 'clock_offset_ms' | 'clock_frozen_until'>;

/** Returns the test clock of an isolated payment; null: the payment uses the system clock. */
export function testClockOf(columns: ClockColumns): TestClock | null {
  const { test_clock: id, clock_offset_ms, clock_frozen_until: frozenUntil } = columns;
  return id === null ? null : { id, offsetMs: Number(clock_offset_ms), frozenUntil };
}

/** Returns a job whose key is the payment's id, in the time of its clock. */
export function jobOf(job: Job, payment: Payment, runAt: Date): ScheduledJob {
  const { id: key, merchant_id: merchantId } = payment;
  return { job, key, runAt, testClock: testClockOf(payment), merchantId };
}
