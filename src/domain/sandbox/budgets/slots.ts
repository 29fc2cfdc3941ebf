import { ApiError } from '../../api/errors.ts';

export interface SlotLimits {
  /** Requests of one merchant that run at once. */
  readonly perMerchant: number;
  /** Requests of all merchants that run at once in this process. */
  readonly perProcess: number;
  /** Requests of one merchant that wait, without a connection, for a slot; one more is refused. */
  readonly waiting: number;
}

/** A waiting request has nothing to read from the length of another; a slot is free within seconds. */
const RETRY_AFTER_SECONDS = '2';

/** Bounds what runs at once, for each merchant and for the process. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  /** In the order in which merchants are served: one that was served goes to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` in a slot of the merchant, after those that wait already. Throws ApiError rate_limited, with
   * Retry-After, when all slots are taken and as many requests of the merchant wait as may.
   */
  async run<Result>(merchantId: string, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(merchantId);
    try {
      return await work();
    } finally {
      this.#leave(merchantId);
    }
  }

  #enter(merchantId: string): Promise<void> | void {
    const queue = this.#waiting.get(merchantId) ?? [];
    if (queue.length === 0 && this.#isFree(merchantId)) return this.#take(merchantId);
    if (queue.length >= this.#limits.waiting) throw tooMany();
    this.#waiting.set(merchantId, queue);
    // Whoever leaves takes the slot for the next one, so that no request that comes later gets it first.
    return new Promise((resolve) => queue.push(resolve));
  }

  #leave(merchantId: string): void {
    const left = (this.#running.get(merchantId) ?? 0) - 1;
    if (left > 0) this.#running.set(merchantId, left);
    else this.#running.delete(merchantId);
    this.#total -= 1;
    for (const [next, queue] of this.#waiting) {
      if (!this.#isFree(next)) continue;
      this.#waiting.delete(next);
      const [resume, ...others] = queue;
      if (others.length > 0) this.#waiting.set(next, others);
      this.#take(next);
      return resume?.();
    }
  }

  #isFree(merchantId: string): boolean {
    const { perMerchant, perProcess } = this.#limits;
    return this.#total < perProcess && (this.#running.get(merchantId) ?? 0) < perMerchant;
  }

  #take(merchantId: string): void {
    this.#running.set(merchantId, (this.#running.get(merchantId) ?? 0) + 1);
    this.#total += 1;
  }
}

function tooMany(): ApiError {
  return new ApiError('rate_limited', {
    message: 'Too many requests of this kind run at once. Try again after the time in Retry-After.',
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
