import { findCallers } from '../../domain/merchants/api-keys.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../domain/api/endpoint.ts';
import { ApiError } from '../../domain/api/errors.ts';

const WINDOW_MS = 60_000;
/** Limits the memory for addresses to about 2 MB. */
const MAX_ADDRESSES = 10_000;
/** Beyond an address's limit, keys are looked up together, at this interval. */
const ROUND_MS = 250;
/** A round takes this many keys: 250 kB of parameters. */
const MAX_PER_ROUND = 4_000;

interface Waiting {
  readonly resolve: (caller: Caller | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks keys up so that guesses cost Postgres little: the keys of an address that had `perMinute` unknown
 * ones within a minute are not looked up alone, but in one statement for all such addresses, four times a
 * second. A valid key works behind such an address too, a moment later. Counts begin before the lookup, so
 * guesses at the same instant count as well.
 */
export class Guesses {
  readonly #ctx: Context;
  readonly #perMinute: number;
  readonly #failed = new Map<string, { count: number; readonly until: number }>();
  #round: Map<string, Waiting> | null = null;

  constructor(ctx: Context, perMinute: number) {
    this.#ctx = ctx;
    this.#perMinute = perMinute;
  }

  /** Runs `lookUp`, or waits for the next round. Throws ApiError rate_limited when that is full. */
  async find(address: string, keyHash: Buffer, lookUp: () => Promise<Caller | null>): Promise<Caller | null> {
    const failed = this.#failedOf(address);
    failed.count += 1;
    let isGuess = false;
    try {
      const caller = await (failed.count > this.#perMinute ? this.#inRound(keyHash) : lookUp());
      isGuess = caller === null;
      return caller;
    } finally {
      if (!isGuess) failed.count -= 1;
    }
  }

  #failedOf(address: string): { count: number } {
    const now = performance.now();
    const known = this.#failed.get(address);
    if (known !== undefined && known.until > now) return known;
    // A Map keeps the order of insertion: its first entry is the oldest.
    this.#failed.delete(address);
    const [oldest] = this.#failed.size >= MAX_ADDRESSES ? this.#failed.keys() : [];
    if (oldest !== undefined) this.#failed.delete(oldest);
    const begun = { count: 0, until: now + WINDOW_MS };
    this.#failed.set(address, begun);
    return begun;
  }

  #inRound(keyHash: Buffer): Promise<Caller | null> {
    const round = this.#round ?? this.#begin();
    if (round.size >= MAX_PER_ROUND)
      throw new ApiError('rate_limited', { headers: { 'Retry-After': String(WINDOW_MS / 1000) } });
    return new Promise((resolve, reject) => round.set(keyHash.toString('hex'), { resolve, reject }));
  }

  #begin(): Map<string, Waiting> {
    const round = new Map<string, Waiting>();
    this.#round = round;
    setTimeout(() => {
      this.#round = null;
      findCallers(this.#ctx.db, [...round.keys()]).then(
        (callers) => round.forEach(({ resolve }, hash) => resolve(callers.get(hash) ?? null)),
        (error: unknown) => round.forEach(({ reject }) => reject(error)),
      );
    }, ROUND_MS);
    return round;
  }
}
