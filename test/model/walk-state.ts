import type { CoinId } from '../../src/domain/chain/coins.ts';
import { SIMULATED_RATES } from '../../src/domain/chain/simulator/market.ts';
import type { Payment } from '../../src/domain/payments/lifecycle/payment.ts';
import type { SettlementMode } from '../../src/sdk/event-types.ts';
import type { Policy } from '../../src/domain/payments/lifecycle/policy.ts';
import { quoteRow } from '../../src/domain/payments/pricing/quotes.ts';
import type { SettledMoney } from '../../src/domain/payments/refunds/left.ts';
import type { RefundStatus } from '../../src/domain/payments/refunds/states.ts';
import type { Refund, RefundSource } from '../../src/domain/payments/refunds/store.ts';
import type { Quote } from '../../src/domain/payments/transfers/credit-new.ts';
import type { PaymentTransfer } from '../../src/domain/payments/transfers/payment-transfer.ts';
import { multiply } from '../../src/platform/values/money.ts';
import { pricesAt } from '../support/market.ts';

const BEGIN = new Date('2026-01-01T00:00:00.000Z').getTime();
const MINUTE_MS = 60_000;

/**
 * The classes of the clock: the first lock holds, it has ended, the deadline has passed, and the late window
 * has ended. Within a class time stands still; the market moves between them.
 */
const CLOCK = [
  { at: 0, ether: '1' },
  { at: 15 * MINUTE_MS, ether: '0.8' },
  { at: 60 * MINUTE_MS, ether: '1.3' },
  { at: (60 + 24 * 60) * MINUTE_MS, ether: '0.9' },
] as const;
export const LAST_CLASS = CLOCK.length - 1;

export const timeOf = (clock: number): Date => new Date(BEGIN + (CLOCK[clock]?.at ?? 0));

export const ratesOf = (clock: number) => RATES[clock] ?? SIMULATED_RATES;
const RATES = CLOCK.map(({ ether }) => ({ ...SIMULATED_RATES, ETH: multiply(SIMULATED_RATES.ETH, ether) }));

/** A transfer that the customer may send once. */
export interface Slot {
  readonly coin: CoinId;
  readonly amount: string;
  /** What a replacement pays instead: the same, or less. */
  readonly replacement: string;
}

/** A refund that was accepted and is not paid out. */
export interface OpenRefund {
  readonly source: RefundSource;
  readonly coin: CoinId;
  readonly coin_amount: string;
  readonly amount: string;
  /** PENDING: the service pays it. Else the merchant does: it waits for a signature, is sent, or is held. */
  readonly status: RefundStatus;
  /** What the signer makes of it, where it was asked to pay it: nobody else is asked then. */
  readonly payout: 'asked' | 'signed' | 'held' | 'failed' | null;
  /** The coins that it sends back, by transfer; none: it is paid out of what was settled. */
  readonly parts: readonly { readonly tx_hash: string; readonly coins: string }[];
}

/** Returns a refund as the service stores it. */
export function asStored({ payout, ...refund }: OpenRefund): Refund {
  const ids = { id: 'ref_1', payment_id: 'pay_1', currency: 'USDC', network: 'ethereum' } as const;
  const offered_at = payout === null ? null : timeOf(0);
  const unset = { reason: null, tx_hash: null, problem: null, price: null };
  return { ...ids, ...unset, address: ADDRESS, created_at: timeOf(0), offered_at, ...refund };
}

/** When each job of the payment is due, in milliseconds; absent: it is not scheduled. */
export interface Jobs {
  readonly expire?: number;
  readonly requote?: number;
  readonly holds?: number;
  readonly settle?: number;
}

/** A payment with all that belongs to it, in memory. */
export interface State {
  readonly clock: number;
  readonly payment: Payment;
  readonly transfers: readonly PaymentTransfer[];
  readonly quotes: readonly Quote[];
  readonly refunds: readonly OpenRefund[];
  readonly jobs: Jobs;
  /** Numbers of the conversions that were begun and have no outcome. */
  readonly converting: readonly number[];
  /** Accepted out of what was settled, per coin. */
  readonly refunded: readonly SettledMoney[];
  /** What is held, and what is the merchant's, by the ledger, per coin. */
  readonly held: Readonly<Partial<Record<CoinId, string>>>;
  readonly merchant: Readonly<Partial<Record<CoinId, string>>>;
}

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Returns a new payment of 10 USDC, with a quote in ether whose lock begins with it. */
export function initialState(policy: Policy, settlement_mode: SettlementMode): State {
  const [created, deadline] = [timeOf(0), timeOf(2)];
  const payment: Payment = {
    id: 'pay_1',
    merchant_id: 'mer_1',
    token_id: 't',
    order_id: 'o',
    order_description: null,
    callback_url: null,
    success_url: null,
    cancel_url: null,
    customer_email: null,
    metadata: {},
    pay_amount: '10',
    pay_currency: 'USDC',
    pay_network: 'ethereum',
    price: null,
    status: 'WAITING',
    exceptions: [],
    sequence: 1,
    coin: 'USDC',
    network: 'ethereum',
    address: ADDRESS,
    crypto_amount: '10',
    tx_hash: null,
    tx_network: null,
    confirmations: 0,
    finality: null,
    fully_funded: false,
    amount_received: '0',
    amount_refunded: '0',
    actually_paid: null,
    actually_paid_currency: null,
    settlement_mode,
    settlement_coin: null,
    settlement_network: null,
    settlement_amount: null,
    created_at: created,
    expires_at: deadline,
    deadline_at: deadline,
    settled_at: null,
    cancelled_at: null,
    policy,
    language: null,
    test_clock: null,
    clock_offset_ms: '0',
    clock_frozen_until: null,
    wallet_id: null,
    deposit_index: null,
    exchange: null,
    link_id: null,
    settlement_problem: null,
  };
  const quotes = [quoteIn('ETH', payment, [], 0)];
  return {
    clock: 0,
    payment,
    transfers: [],
    quotes,
    refunds: [],
    jobs: { expire: deadline.getTime(), requote: quotes[0]?.locked_until?.getTime() ?? 0 },
    converting: [],
    refunded: [],
    held: {},
    merchant: {},
  };
}

/** Returns a quote of what the payment misses. */
export function quoteIn(
  coin: CoinId,
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  clock: number,
): Quote {
  const now = timeOf(clock);
  const method = { coin, network: 'ethereum' as const, address: ADDRESS };
  return { ...quoteRow({ payment, transfers }, method, pricesAt(ratesOf(clock), now), now), quoted_at: now };
}

/**
 * Returns a text that is equal for two states from which the same follows. `reorged` and `replaced` decide
 * nothing, the sums follow from the transfers, and a transfer that is lost before it was used is only gone.
 */
export function canonical(state: State): string {
  const { clock, payment, transfers, quotes, refunds, jobs, converting, held } = state;
  const { status, fully_funded, exceptions, settled_at, deadline_at, amount_refunded } = payment;
  return JSON.stringify([
    [clock, status, fully_funded, exceptions.includes('late'), settled_at !== null, deadline_at.getTime()],
    [amount_refunded, state.refunded, held, refunds],
    transfers.map((one) =>
      one.dropped_at !== null && one.converted === '0' && one.returned === '0' ? one.tx_hash : stateOf(one),
    ),
    quotes.map(({ asks, quoted_at }) => [asks, quoted_at.getTime()]),
    [jobs.expire, jobs.requote, jobs.holds, jobs.settle !== undefined, converting.length],
  ]);
}

function stateOf(transfer: PaymentTransfer): unknown[] {
  const { tx_hash, seen_at, amount, credit, locked_amount, converted, returned, conversion } = transfer;
  const place = [
    transfer.block_height !== null,
    transfer.confirmed_at !== null,
    transfer.dropped_at !== null,
    transfer.lapsed_at !== null,
    transfer.pooled_at?.getTime(),
  ];
  return [tx_hash, seen_at.getTime(), place, amount, credit, locked_amount, converted, returned, conversion];
}
