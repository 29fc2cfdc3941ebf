import type { JobMerchant } from '../../platform/handover.ts';

/**
 * What a merchant saves while as many of its jobs run as it may start at once, and how many of them are
 * handed over together then: what begins together ends together, and shares its statements.
 */
const GROUP = 8;

export interface PaceOptions {
  /** The starts, times its weight, that a merchant of which nothing runs has at once. */
  readonly burst: number;
  /** How many more it gets a second, times its weight. */
  readonly perSecond: number;
  /** A job that held its slot this long probably waited for a receiver that hangs. */
  readonly longMs: number;
}

/**
 * How fast a merchant's jobs may start: each takes a start, and gives it back when it ends before long. Who
 * has receivers that respond notices nothing. Who has many that hang gets the same slots as before, but one
 * after the other: hundreds of requests that began at the same moment would end at the same moment, at their
 * deadline, and again and again, and everybody else's work would wait behind what is recorded of them. So
 * what it saves is little while many of its jobs run: jobs that end together begin in small groups.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: () => number;
  /** By merchant; absent: it has its whole burst. */
  readonly #starts = new Map<string, { left: number; at: number; running: number }>();

  constructor(options: PaceOptions, clock: () => number) {
    this.#options = options;
    this.#clock = clock;
  }

  /** How many jobs of the merchant may start now. */
  left(merchant: JobMerchant): number {
    return Math.floor(this.#refilled(merchant));
  }

  /**
   * How many jobs of the merchant to hand over now: while many run, a whole group or none, although single
   * ones could start. Each by itself would cost a job of the queue and three statements.
   */
  leftToHandOver(merchant: JobMerchant): number {
    const left = this.left(merchant);
    const isWaiting = left < GROUP && this.#runningOf(merchant) >= this.#options.burst * merchant.weight;
    return isWaiting ? 0 : left;
  }

  take(merchant: JobMerchant): void {
    const running = this.#runningOf(merchant) + 1;
    const left = this.#refilled(merchant) - 1;
    this.#starts.set(merchant.id, { left, at: this.#clock(), running });
  }

  /** Notes the end of a job that held its slot for so many milliseconds. */
  end(merchant: JobMerchant, heldMs: number): void {
    const running = this.#runningOf(merchant) - 1;
    const left = this.#refilled(merchant) + (heldMs < this.#options.longMs ? 1 : 0);
    if (running > 0 || left < this.#options.burst * merchant.weight)
      this.#starts.set(merchant.id, { left, at: this.#clock(), running });
    else this.#starts.delete(merchant.id);
  }

  #runningOf({ id }: JobMerchant): number {
    return this.#starts.get(id)?.running ?? 0;
  }

  #refilled({ id, weight }: JobMerchant): number {
    const known = this.#starts.get(id);
    const burst = this.#options.burst * weight;
    if (known === undefined) return burst;
    const seconds = (this.#clock() - known.at) / 1000;
    const most = Math.max(GROUP * weight, burst - known.running);
    // What it had stays: a job that ends soon gives its start back, however many run.
    return Math.max(known.left, Math.min(most, known.left + seconds * this.#options.perSecond * weight));
  }
}
