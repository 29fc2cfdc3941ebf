import { ApiError } from '../../domain/api/errors.ts';
import type { Config } from '../../platform/config/config.ts';

/** Unknown secrets of one address within a minute; those above are looked up together. */
export const UNKNOWN_PER_MINUTE = 60;

const WINDOW_MS = 60_000;
/** Limits the memory for addresses to about 2 MB. */
const MAX_ADDRESSES = 10_000;
/** Beyond an address's limit, secrets are looked up together, at this interval. */
const ROUND_MS = 250;
/** A round takes this many secrets: 250 kB of parameters. */
const MAX_PER_ROUND = 4_000;

interface Waiting<Found> {
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Whose secrets of these hashes, in hex, are; a hash of nobody's is absent. */
type FindAll<Found> = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

/**
 * Looks secrets up, such as API keys, so that guesses cost Postgres little: those of an address that had
 * UNKNOWN_PER_MINUTE unknown ones within a minute are not looked up alone, but in one statement for all such
 * addresses, four times a second. A valid one works behind such an address too, a moment later. Counts begin
 * before the lookup, so guesses at the same instant count as well.
 */
export class Guesses<Found> {
  readonly #findAll: FindAll<Found>;
  readonly #perMinute: number;
  readonly #failed = new Map<string, { count: number; readonly until: number }>();
  /** Several requests may bring one secret. */
  #round: Map<string, Waiting<Found>[]> | null = null;

  constructor({ rateLimitScale }: Pick<Config, 'rateLimitScale'>, findAll: FindAll<Found>) {
    this.#findAll = findAll;
    this.#perMinute = Math.max(1, UNKNOWN_PER_MINUTE * rateLimitScale);
  }

  /**
   * Looks a secret up at once, by `lookUp` where that is cheaper than a list of one, or in the next round.
   * Throws ApiError rate_limited when that is full.
   */
  async find(
    address: string,
    hash: Buffer,
    lookUp: () => Promise<Found | null> = () => this.#findOne(hash.toString('hex')),
  ): Promise<Found | null> {
    const failed = this.#failedOf(address);
    failed.count += 1;
    let isGuess = false;
    try {
      const found = await (failed.count > this.#perMinute ? this.#inRound(hash) : lookUp());
      isGuess = found === null;
      return found;
    } finally {
      if (!isGuess) failed.count -= 1;
    }
  }

  async #findOne(hash: string): Promise<Found | null> {
    return (await this.#findAll([hash])).get(hash) ?? null;
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

  #inRound(hash: Buffer): Promise<Found | null> {
    const round = this.#round ?? this.#begin();
    if (round.size >= MAX_PER_ROUND)
      throw new ApiError('rate_limited', { headers: { 'Retry-After': String(WINDOW_MS / 1000) } });
    const key = hash.toString('hex');
    const waiting = round.get(key) ?? [];
    round.set(key, waiting);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  }

  #begin(): Map<string, Waiting<Found>[]> {
    const round = new Map<string, Waiting<Found>[]>();
    this.#round = round;
    setTimeout(() => {
      this.#round = null;
      this.#findAll([...round.keys()]).then(
        (found) =>
          round.forEach((waiting, hash) =>
            waiting.forEach(({ resolve }) => resolve(found.get(hash) ?? null)),
          ),
        (error: unknown) => round.forEach((waiting) => waiting.forEach(({ reject }) => reject(error))),
      );
    }, ROUND_MS);
    return round;
  }
}
