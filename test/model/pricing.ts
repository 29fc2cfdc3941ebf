import { FIRST_RATES, isSettlementCoin, METHODS, type Coin, type Method, type Network } from './coins.ts';
import { ONE, parse, ratioUp } from './decimal.ts';
import { asksFor, creditOf, isLocked, lockQuote, restOf, type Credit, type Quote } from './quotes.ts';
import { missingOf, type Sent } from './transfers.ts';
import type { Share } from './terms.ts';

/**
 * The market, and the quotes of one payment: what its customer is asked for, and what a transfer is worth.
 */
export class Pricing {
  readonly #price: bigint;
  readonly #expiresAt: number;
  readonly #percent = new Map<Coin, bigint>();
  readonly #quotes = new Map<Method, Quote>();
  /** Where the payment has an address that the service watches. */
  readonly #watched = new Set<Network>(['ethereum']);

  constructor(price: bigint, expiresAt: number) {
    this.#price = price;
    this.#expiresAt = expiresAt;
  }

  setRate(coin: Coin, percent: number): void {
    this.#percent.set(coin, BigInt(percent));
  }

  /** The market's rate of the moment, in the settlement coin. */
  rateOf(method: Method): bigint {
    return this.rateOfCoin(METHODS[method].coin);
  }

  rateOfCoin(coin: Coin): bigint {
    return (parse(FIRST_RATES[coin]) * (this.#percent.get(coin) ?? 100n)) / 100n;
  }

  isWatched(method: Method): boolean {
    return this.#watched.has(METHODS[method].network);
  }

  /** Quotes a coin and locks its rate, unless it was quoted before: then `requote` decides. */
  select(method: Method, standing: readonly Sent[], now: number, isShort: boolean): void {
    this.#watched.add(METHODS[method].network);
    if (!this.#quotes.has(method)) this.#lock(method, standing, now, isShort);
  }

  /** Returns the end of the first lock that ends after `now` and before the deadline. */
  nextLockEnd(now: number): number | null {
    const ends = [...this.#quotes.values()]
      .map(({ lockedUntil }) => lockedUntil)
      .filter((end) => end > now && end < this.#expiresAt);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** Asks again, at the market's rate, for what is missing, where a lock has ended. */
  requote(standing: readonly Sent[], now: number): void {
    for (const [method, { lockedUntil }] of this.#quotes)
      if (lockedUntil <= now) this.#lock(method, standing, now, true);
  }

  credit(method: Method, amount: bigint, standing: readonly Sent[], seenAt: number): Credit {
    const quote = this.#lockAt(method, seenAt);
    const lock = quote && { ...quote, rest: restOf(quote, takenFrom(method, quote, standing)) };
    return creditOf(method, amount, {
      missing: missingOf(this.#price, standing),
      lock,
      market: this.rateOf(method),
    });
  }

  /**
   * Returns the coins of a share, at least one unit: what the page asks when the customer selects the coin.
   */
  amountOf(method: Method, share: Share, standing: readonly Sent[], now: number): bigint {
    const rate = this.rateOf(method);
    const { quoteUnit } = METHODS[method];
    if (share === 'unit') return quoteUnit;
    if (typeof share === 'object') return parse(share.coins);
    if (share !== 'asked') return ratioUp(this.#price * BigInt(share), ONE, rate * 100n, quoteUnit);
    const quote = this.#lockAt(method, now);
    const asked =
      quote === null
        ? asksFor(method, missingOf(this.#price, standing), rate)
        : ratioUp(restOf(quote, takenFrom(method, quote, standing)).asks, 1n, 1n, quoteUnit);
    return asked > 0n ? asked : asksFor(method, this.#price, rate);
  }

  #lockAt(method: Method, at: number): Quote | null {
    const quote = this.#quotes.get(method);
    return quote !== undefined && isLocked(quote, at) ? quote : null;
  }

  /** Nothing is locked after the deadline, and nothing when nothing is asked. */
  #lock(method: Method, standing: readonly Sent[], now: number, isShort: boolean): void {
    if (isSettlementCoin(method) || now >= this.#expiresAt) return;
    const missing = missingOf(this.#price, standing);
    const end = isShort ? this.#expiresAt : now;
    this.#quotes.set(method, lockQuote(method, { missing, rate: this.rateOf(method), now, end }));
  }
}

function takenFrom(method: Method, { quotedAt }: Quote, standing: readonly Sent[]): Sent[] {
  return standing.filter((sent) => sent.method === method && sent.seenAt >= quotedAt);
}
