import type { CoinId } from '../../chain/coins.ts';
import { asWritten, compare, max, subtract, sum } from '../../../platform/values/money.ts';
import { payableUntil, type Payment } from '../lifecycle/payment.ts';
import { honoursLate, minimumAccepted } from '../lifecycle/policy.ts';
import type { Exception } from '../lifecycle/states.ts';
import type { Changes } from '../lifecycle/transition.ts';
import { availableCredit } from './credit.ts';
import { isConfirmed, isStanding, type PaymentTransfer } from './payment-transfer.ts';
import { toleranceOf } from './tolerance.ts';

/** Late money is honoured this long after the deadline (contract, "Status and transitions"). */
const LATE_WINDOW_MS = 24 * 3_600_000;

/** Returns the end of the late window: the first instant at which money no longer pays for the payment. */
export function lateWindowEnd(payment: Pick<Payment, 'expires_at' | 'cancelled_at'>): Date {
  return new Date(payableUntil(payment).getTime() + LATE_WINDOW_MS);
}

/**
 * Returns the first instant at which money is not honoured: the deadline or, by policy, the late window's
 * end.
 */
export function honouredUntil(payment: Pick<Payment, 'expires_at' | 'cancelled_at' | 'policy'>): Date {
  return honoursLate(payment.policy) ? lateWindowEnd(payment) : payableUntil(payment);
}

/** What a payment's transfers amount to, in the settlement coin unless stated otherwise. */
export interface Evaluation {
  /** Seen and not dropped. */
  readonly received: string;
  /** Of that what has confirmed. */
  readonly confirmed: string;
  /** What the price still lacks; "0" when nothing does. */
  readonly missing: string;
  readonly isFullyFunded: boolean;
  readonly isConfirmedInFull: boolean;
  readonly sumException: Exception | null;
  /** What the customer paid and has confirmed, in `paidCurrency`. */
  readonly paid: string;
  readonly paidCurrency: CoinId;
}

/**
 * Evaluates the transfers of a payment by their credits. Money that came too late, or that is sent back, does
 * not pay for the order.
 */
export function evaluate(payment: Payment, transfers: readonly PaymentTransfer[]): Evaluation {
  const standing = transfers.filter(isStanding);
  const confirmed = standing.filter(isConfirmed);
  const end = honouredUntil(payment);
  const paying = (some: readonly PaymentTransfer[]) =>
    sum(some.filter(({ seen_at }) => seen_at < end).map(availableCredit));
  const tolerance = toleranceOf(payment, standing);
  const needed = minimumAccepted(payment.pay_amount, payment.policy);
  // Even at a tolerance of 100 %, no money is not enough.
  const isEnough = (credit: string) =>
    compare(credit, '0') > 0 && compare(subtract(needed, credit), tolerance) < 0;
  const received = creditsOf(standing);
  return {
    received,
    confirmed: creditsOf(confirmed),
    missing: asWritten(max('0', subtract(payment.pay_amount, paying(standing))), payment.pay_amount),
    isFullyFunded: isEnough(paying(standing)),
    isConfirmedInFull: isEnough(paying(confirmed)),
    sumException: sumException(payment, received, tolerance),
    ...paidBy(confirmed, payment),
  };
}

/**
 * Returns the exceptions after an evaluation: `underpaid` and `overpaid` follow the sum, the others are
 * permanent.
 */
function exceptionsAfter(payment: Payment, evaluation: Evaluation, facts: readonly Exception[]): Exception[] {
  const lasting = payment.exceptions.filter(
    (exception) => exception !== 'underpaid' && exception !== 'overpaid',
  );
  return [
    ...new Set([
      ...lasting,
      ...facts,
      ...(evaluation.sumException === null ? [] : [evaluation.sumException]),
    ]),
  ].sort();
}

/** Returns the changes of a payment's row that follow from an evaluation. */
export function changesOf(payment: Payment, evaluation: Evaluation, facts: readonly Exception[]): Changes {
  return {
    amount_received: evaluation.received,
    fully_funded: evaluation.isFullyFunded,
    exceptions: exceptionsAfter(payment, evaluation, facts),
  };
}

const creditsOf = (transfers: readonly PaymentTransfer[]): string =>
  sum(transfers.map(({ credit }) => credit));

function sumException(
  { pay_amount }: Pick<Payment, 'pay_amount'>,
  received: string,
  tolerance: string,
): Exception | null {
  if (compare(received, '0') <= 0) return null;
  if (compare(subtract(received, pay_amount), tolerance) >= 0) return 'overpaid';
  return compare(subtract(pay_amount, received), tolerance) >= 0 ? 'underpaid' : null;
}

/** Returns amount and coin paid: the sum in one coin or, for several coins, their credit. */
function paidBy(
  confirmed: readonly PaymentTransfer[],
  { pay_currency }: Pick<Payment, 'pay_currency'>,
): Pick<Evaluation, 'paid' | 'paidCurrency'> {
  const coins = new Set(confirmed.map(({ coin }) => coin));
  const [only] = coins;
  if (coins.size === 1 && only !== undefined)
    return { paid: sum(confirmed.map(({ amount }) => amount)), paidCurrency: only };
  return { paid: creditsOf(confirmed), paidCurrency: pay_currency };
}
