import { valueOf } from '../pricing/quote.ts';
import { compare, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { minimumAccepted } from '../lifecycle/policy.ts';
import type { Exception } from '../lifecycle/states.ts';
import type { Changes } from '../lifecycle/transition.ts';

/**
 * A transfer to one of a payment's addresses, with the amount quoted for its coin; amounts are in that coin.
 */
export interface PaymentTransfer {
  readonly payment_id: string;
  readonly network: string;
  readonly tx_hash: string;
  readonly coin: string;
  readonly amount: string;
  readonly quoted_amount: string;
  readonly seen_at: Date;
  /** Blocks from the transfer's own to its network's head, both included; 0 in the pool. */
  readonly confirmations: number;
  readonly confirmed_at: Date | null;
  readonly dropped_at: Date | null;
}

/** Late money is honoured this long after the deadline (contract, "Status and transitions"). */
const LATE_WINDOW_MS = 24 * 3_600_000;

/** Returns the end of the late window: the first instant at which money no longer pays for the payment. */
export function lateWindowEnd({ expires_at }: Pick<Payment, 'expires_at'>): Date {
  return new Date(expires_at.getTime() + LATE_WINDOW_MS);
}

/**
 * Returns the first instant at which money is not honoured: the deadline or, by policy, the late window's
 * end.
 */
export function honouredUntil(payment: Pick<Payment, 'expires_at' | 'policy'>): Date {
  return payment.policy.late === 'honour' ? lateWindowEnd(payment) : payment.expires_at;
}

/**
 * Evaluates the transfers of a payment, in the settlement coin at the locked rates. Money that came too late,
 * was sent back, or has a pending refund (`pendingRefund`) does not pay for the order. The transfers in one
 * coin are summed before they are converted, so that rounding each cannot lose a fraction.
 */
export function evaluate(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  pendingRefund = '0',
): Evaluation {
  const standing = transfers.filter(({ dropped_at }) => dropped_at === null);
  const confirmed = standing.filter(({ confirmed_at }) => confirmed_at !== null);
  const end = honouredUntil(payment);
  const isHonoured = ({ seen_at }: PaymentTransfer) => seen_at < end;
  const value = (some: readonly PaymentTransfer[]) => valueInSettlementCoin(payment, some);
  const needed = sum([
    minimumAccepted(payment.pay_amount, payment.policy),
    payment.amount_refunded,
    pendingRefund,
  ]);
  // Even at a tolerance of 100 %, no money is not enough.
  const isEnough = (some: readonly PaymentTransfer[]) =>
    compare(value(some), '0') > 0 && compare(value(some), needed) >= 0;
  const received = value(standing);
  return {
    received,
    confirmed: value(confirmed),
    isFullyFunded: isEnough(standing.filter(isHonoured)),
    isConfirmedInFull: isEnough(confirmed.filter(isHonoured)),
    sumException: sumException(payment, received),
    ...paidBy(standing, received, payment),
  };
}

/** What a payment's transfers amount to; in the settlement coin unless stated otherwise. */
export interface Evaluation {
  /** Seen and not dropped. */
  readonly received: string;
  readonly confirmed: string;
  readonly isFullyFunded: boolean;
  readonly isConfirmedInFull: boolean;
  readonly sumException: Exception | null;
  /** What the customer paid, in `paidCurrency`. */
  readonly paid: string;
  readonly paidCurrency: string;
}

/**
 * Returns the exceptions after an evaluation: `underpaid` and `overpaid` follow the sum, the others are
 * permanent.
 */
export function exceptionsAfter(
  payment: Payment,
  evaluation: Evaluation,
  facts: readonly Exception[],
): Exception[] {
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

function valueInSettlementCoin(payment: Payment, transfers: readonly PaymentTransfer[]): string {
  const sums = new Map<string, { received: string; quotedAmount: string }>();
  for (const { coin, network, amount, quoted_amount } of transfers) {
    const quoted = `${coin} ${network}`;
    sums.set(quoted, {
      received: sum([sums.get(quoted)?.received ?? '0', amount]),
      quotedAmount: quoted_amount,
    });
  }
  return sum([...sums.values()].map((paid) => valueOf({ ...paid, payAmount: payment.pay_amount })));
}

function sumException(payment: Payment, received: string): Exception | null {
  const difference = compare(received, payment.pay_amount);
  if (difference > 0) return 'overpaid';
  return difference < 0 && compare(received, '0') > 0 ? 'underpaid' : null;
}

/**
 * Returns amount and coin paid: the sum in one coin or, for several coins, their value in the settlement
 * coin.
 */
function paidBy(
  standing: readonly PaymentTransfer[],
  received: string,
  payment: Payment,
): Pick<Evaluation, 'paid' | 'paidCurrency'> {
  const coins = new Set(standing.map(({ coin }) => coin));
  const [only] = coins;
  if (coins.size === 1 && only !== undefined)
    return { paid: sum(standing.map(({ amount }) => amount)), paidCurrency: only };
  return { paid: received, paidCurrency: payment.pay_currency };
}
