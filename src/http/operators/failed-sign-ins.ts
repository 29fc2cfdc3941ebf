/** An operator may mistype that often before an address has to wait. */
const FREE_FAILURES = 5;
const MAX_WAIT_SECONDS = 60;
/** An address without a failure for this long begins again. */
const FORGET_AFTER_MS = 15 * 60_000;
/** Bounds the memory: beyond, the address whose last failure is the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  failures: number;
  /** Tries that were refused unseen since the last failure. */
  refused: number;
  failedAt: number;
  blockedUntil: number;
}

/**
 * Slows the guessing of a password: from the fifth failure on, an address waits 1 s, 2 s, 4 s and so on up to
 * a minute before its next try is looked at. That is 1,440 guesses a day. A right password during the wait is
 * refused too, otherwise the wait would not slow anything; and it does not clear the failures, because behind
 * one address there may be an operator and a guesser. Times are milliseconds of a clock that never goes back.
 */
export class FailedSignIns {
  readonly #byAddress = new Map<string, Failures>();
  readonly #freeFailures: number;

  /** `scale` multiplies the free failures, as RATE_LIMIT_SCALE does with every limit. */
  constructor(scale = 1) {
    this.#freeFailures = Math.max(1, Math.floor(FREE_FAILURES * scale));
  }

  /** Returns the seconds that the address must wait; 0: its try may be looked at. */
  waitSeconds(address: string, now: number): number {
    const record = this.#byAddress.get(address);
    if (record === undefined || now >= record.blockedUntil) return 0;
    record.refused += 1;
    return Math.ceil((record.blockedUntil - now) / 1_000);
  }

  /** Records a failure. Returns how many there were, the wait that follows, and the tries refused before. */
  fail(address: string, now: number): { failures: number; refused: number; waitSeconds: number } {
    const last = this.#byAddress.get(address);
    const known = last !== undefined && now - last.failedAt < FORGET_AFTER_MS ? last : null;
    const failures = (known?.failures ?? 0) + 1;
    const excess = failures - this.#freeFailures;
    const waitSeconds = excess < 0 ? 0 : Math.min(MAX_WAIT_SECONDS, 2 ** excess);
    // Deleted first: the map is in the order of the last failures.
    this.#byAddress.delete(address);
    this.#byAddress.set(address, {
      failures,
      refused: 0,
      failedAt: now,
      blockedUntil: now + waitSeconds * 1_000,
    });
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > MAX_ADDRESSES && oldest !== undefined) this.#byAddress.delete(oldest);
    return { failures, refused: known?.refused ?? 0, waitSeconds };
  }
}
