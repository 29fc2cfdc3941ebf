import { isFound } from '../../chain/transaction-hashes.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import type { Rates } from '../../chain/rates/rates.ts';
import { compare, min, subtract, sum } from '../../../platform/values/money.ts';
import { payableUntil, type Payment } from '../lifecycle/payment.ts';
import { creditOf, creditOfBottom, type Credit, type LockedQuote } from './credit.ts';
import { evaluate } from './evaluate.ts';
import { isStanding, type PaymentTransfer } from './payment-transfer.ts';

/** The quote of a payment in a coin, as far as it decides credits. */
export interface Quote {
  readonly payment_id: string;
  readonly coin: string;
  readonly network: string;
  /** Null, like `covers`: in the settlement coin, which has no rate. */
  readonly asks: string | null;
  readonly covers: string | null;
  readonly rate: string;
  readonly quoted_at: Date;
  readonly locked_until: Date | null;
}

/** The quotes and the market at which a payment's new transfers are credited. */
export interface Crediting {
  readonly quotes: readonly Quote[];
  readonly rates: () => Rates;
}

/**
 * Returns the transfer of the page that replaces a dropped one and pays the same address no more than it did
 * (a wallet's "speed up"): it moves the same money. Null: the money is lost. More than before is new money.
 */
export function replacementOf(lost: ChainTransfer, page: readonly ChainTransfer[]): ChainTransfer | null {
  const seen = new Set<string>();
  let next: ChainTransfer | undefined = lost;
  while (next !== undefined && next.droppedAt !== null) {
    const { replacedBy, coin, address }: ChainTransfer = next;
    if (replacedBy === null || seen.has(replacedBy)) return null;
    seen.add(replacedBy);
    next = page.find(
      (other) => other.txHash === replacedBy && other.coin === coin && other.address === address,
    );
    if (next?.droppedAt === null && compare(next.amount, lost.amount) <= 0) return next;
  }
  return null;
}

/** What is decided about a transfer when it is first seen, and what becomes of it. */
export type Money = Credit &
  Pick<PaymentTransfer, 'seen_at' | 'lapsed_at' | 'converted' | 'returned' | 'conversion'>;

/** Returns the money of a replacement: the lowest coins of the transfer that it replaces. */
export function moneyOf(lost: PaymentTransfer, { amount }: ChainTransfer): Money {
  const locked_amount = min(lost.locked_amount, amount);
  const converted = min(lost.converted, amount);
  return {
    seen_at: lost.seen_at,
    lapsed_at: lost.lapsed_at,
    conversion: lost.conversion,
    credit: creditOfBottom(lost, amount),
    locked_amount,
    locked_credit: creditOfBottom(lost, locked_amount),
    converted,
    returned: min(lost.returned, subtract(amount, converted)),
  };
}

/**
 * Returns the money of a transfer that is seen for the first time, beside those that have paid. When money
 * came that only a balance tells of nobody knows: no locked rate is claimed for it.
 */
export function newMoney(
  payment: Payment,
  { txHash, coin, network, amount, seenAt, droppedAt }: ChainTransfer,
  paid: readonly PaymentTransfer[],
  { quotes, rates }: Crediting,
): Money {
  const nothing = { seen_at: seenAt, lapsed_at: null, converted: '0', returned: '0', conversion: null };
  // Never counted: it was dropped before it was seen.
  if (droppedAt !== null) return { ...nothing, credit: '0', locked_amount: '0', locked_credit: '0' };
  const { missing } = evaluate(payment, paid);
  const quote = isFound(txHash)
    ? undefined
    : quotes.find((one) => one.coin === coin && one.network === network);
  const locked = quote === undefined ? null : stillAsked(payment, quote, seenAt, paid);
  return { ...nothing, ...creditOf(payment, { coin, network, amount, missing, quote: locked }, rates) };
}

/** Returns what a quote still asks of a transfer seen at `at`; null when its rate is not locked then. */
function stillAsked(
  payment: Payment,
  { coin, network, asks, covers, rate, quoted_at, locked_until }: Quote,
  at: Date,
  paid: readonly PaymentTransfer[],
): LockedQuote | null {
  if (asks === null || covers === null || locked_until === null) return null;
  if (at < quoted_at || at >= locked_until || at >= payableUntil(payment)) return null;
  const taken = paid.filter(
    (one) => isStanding(one) && one.coin === coin && one.network === network && one.seen_at >= quoted_at,
  );
  return {
    rate,
    asks: subtract(asks, sum(taken.map(({ locked_amount }) => locked_amount))),
    covers: subtract(covers, sum(taken.map(({ locked_credit }) => locked_credit))),
  };
}
