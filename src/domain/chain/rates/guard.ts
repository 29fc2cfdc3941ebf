import { add, compare, divide, max, min, multiply, subtract } from '../../../platform/values/money.ts';
import { PEGGED_COINS, type CoinId } from '../coins.ts';
import type { Rate } from './rates.ts';

/** What one source says a coin costs. */
export interface Reading {
  readonly source: string;
  /** US dollars per coin: the middle between bid and ask, or the source's one price; decimal strings. */
  readonly usd: string;
  /** Ask minus bid; null: the source publishes one price only. */
  readonly spread: string | null;
  /** When the source made the price; its response's time where it does not say. */
  readonly at: Date;
}

export type Refused = { readonly refused: string };

const RATE_DECIMALS = 18;
/** A market that is this wide, or a price this far from the median, is not believed. */
const MOST_SPREAD = '0.02';
const MOST_DEVIATION = '0.03';
/** A jump by this share within JUMP_SECONDS needs three sources: one that is wrong can sway only two. */
const JUMP = '0.15';
const JUMP_SECONDS = 60;
export const SOURCES = 2;
const SOURCES_AFTER_JUMP = 3;
/** A clock that runs ahead of ours by more than this is not believed to be fresh. */
const MOST_AHEAD_MS = 60_000;
const PEG = { from: '0.98', to: '1.02' } as const;

/**
 * Returns the median of the readings that can be trusted, or why there is none. A reading is dropped that is
 * older than `maxAgeSeconds`, has a wide spread, or lies far from the median. `last` is the rate of before.
 */
export function guardRate(
  readings: readonly Reading[],
  { last, now, maxAgeSeconds }: { last: Rate | null; now: Date; maxAgeSeconds: number },
): Rate | Refused {
  const usable = readings.filter(
    (one) => isFresh(one.at, now, maxAgeSeconds) && compare(one.usd, '0') > 0 && hasNarrowSpread(one),
  );
  if (usable.length < SOURCES)
    return { refused: `${usable.length} of ${readings.length} readings are usable` };
  const middle = median(usable.map(({ usd }) => usd));
  const agreeing = usable.filter(({ usd }) => isWithin(usd, middle, MOST_DEVIATION));
  const prices = agreeing.map(({ usd }) => usd);
  if (agreeing.length < SOURCES || !isWithin(least(prices), most(prices), MOST_DEVIATION))
    return {
      refused: `the sources are apart: ${usable.map(({ source, usd }) => `${source} ${usd}`).join(', ')}`,
    };
  const usd = median(prices);
  if (hasJumped(usd, last, now) && agreeing.length < SOURCES_AFTER_JUMP)
    return { refused: `a jump from ${last?.usd ?? ''} to ${usd} needs ${SOURCES_AFTER_JUMP} sources` };
  return {
    usd,
    sources: agreeing.map(({ source }) => source),
    at: new Date(Math.min(...agreeing.map(({ at }) => at.getTime()))),
  };
}

/** True for a stablecoin whose price has left its peg: it is not quoted. */
export function isOffPeg(coin: CoinId, usd: string): boolean {
  return PEGGED_COINS.has(coin) && (compare(usd, PEG.from) < 0 || compare(usd, PEG.to) > 0);
}

/** True when a price of that time may still be used. */
export function isFresh(at: Date, now: Date, maxAgeSeconds: number): boolean {
  const ageMs = now.getTime() - at.getTime();
  return ageMs <= maxAgeSeconds * 1000 && ageMs >= -MOST_AHEAD_MS;
}

function hasNarrowSpread({ usd, spread }: Reading): boolean {
  return spread === null || (compare(spread, '0') >= 0 && compare(spread, multiply(usd, MOST_SPREAD)) <= 0);
}

function hasJumped(usd: string, last: Rate | null, now: Date): boolean {
  if (last === null || now.getTime() - last.at.getTime() > JUMP_SECONDS * 1000) return false;
  return !isWithin(usd, last.usd, JUMP);
}

function isWithin(price: string, other: string, share: string): boolean {
  const apart = subtract(max(price, other), min(price, other));
  return compare(apart, multiply(other, share)) <= 0;
}

function median(prices: readonly string[]): string {
  const sorted = [...prices].sort(compare);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('there is no median of no prices');
  return divide(add(lower, upper), '2', RATE_DECIMALS, 'down');
}

const least = (prices: readonly string[]): string => prices.reduce(min);
const most = (prices: readonly string[]): string => prices.reduce(max);
