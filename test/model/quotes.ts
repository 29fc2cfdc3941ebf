import { CREDIT_UNIT, isSettlementCoin, METHODS, type Method } from './coins.ts';
import { maxOf, minOf, ONE, ratioDown, ratioUp } from './decimal.ts';
import type { Sent } from './transfers.ts';

const LOCK_MS = 15 * 60_000;

/** A locked rate of a coin on a network: what it asks for, and what of the price that covers. */
export interface Quote {
  readonly asks: bigint;
  readonly covers: bigint;
  /** Settlement coin per coin. */
  readonly rate: bigint;
  readonly quotedAt: number;
  readonly lockedUntil: number;
}

/** Returns what a coin at `rate` asks for `missing`, up to the unit of a quote. */
export function asksFor(method: Method, missing: bigint, rate: bigint): bigint {
  return ratioUp(missing, ONE, rate, METHODS[method].quoteUnit);
}

/** Returns a new quote, whose lock ends after 15 minutes, or at `end` when that is earlier. */
export function lockQuote(
  method: Method,
  { missing, rate, now, end }: { missing: bigint; rate: bigint; now: number; end: number },
): Quote {
  const lockedUntil = Math.min(now + LOCK_MS, end);
  return { asks: asksFor(method, missing, rate), covers: missing, rate, quotedAt: now, lockedUntil };
}

export function isLocked({ quotedAt, lockedUntil }: Quote, at: number): boolean {
  return quotedAt <= at && at < lockedUntil;
}

/**
 * What a quote still asks for, and covers of the price, when `taken` (the transfers that came within its
 * lock, and stand) have used it.
 */
export function restOf(quote: Quote, taken: readonly Sent[]): { asks: bigint; covers: bigint } {
  let { asks, covers } = quote;
  for (const { lockedAmount, lockedCredit } of taken) {
    asks -= lockedAmount;
    covers -= lockedCredit;
  }
  return { asks: maxOf(0n, asks), covers: maxOf(0n, covers) };
}

/** The part of a transfer that the lock prices, and its credit. */
export interface Credit {
  readonly credit: bigint;
  readonly lockedAmount: bigint;
  readonly lockedCredit: bigint;
}

/**
 * Returns the credit of a transfer when it is first seen: at par in the settlement coin; at the locked rate
 * up to what the quote still asks and the price still misses; the rest at the market's rate of the moment.
 */
export function creditOf(
  method: Method,
  amount: bigint,
  {
    missing,
    lock,
    market,
  }: { missing: bigint; lock: (Quote & { rest: { asks: bigint; covers: bigint } }) | null; market: bigint },
): Credit {
  if (isSettlementCoin(method)) return { credit: amount, lockedAmount: 0n, lockedCredit: 0n };
  const locked = lock === null ? NOTHING : lockedPart(method, amount, missing, lock);
  const above = ratioDown(amount - locked.lockedAmount, market, ONE, CREDIT_UNIT);
  return { ...locked, credit: locked.lockedCredit + above };
}

const NOTHING = { lockedAmount: 0n, lockedCredit: 0n };

function lockedPart(
  method: Method,
  amount: bigint,
  missing: bigint,
  { rate, rest }: { rate: bigint; rest: { asks: bigint; covers: bigint } },
): Omit<Credit, 'credit'> {
  const covers = minOf(missing, rest.covers);
  if (covers === 0n || rest.asks === 0n) return NOTHING;
  const worth = ratioDown(covers, 1n, 1n, CREDIT_UNIT);
  // When another coin paid meanwhile, less than the quote asks is missing.
  const asks = covers < rest.covers ? minOf(rest.asks, asksFor(method, covers, rate)) : rest.asks;
  if (amount >= asks) return { lockedAmount: asks, lockedCredit: worth };
  return { lockedAmount: amount, lockedCredit: minOf(worth, ratioDown(amount, rate, ONE, CREDIT_UNIT)) };
}
