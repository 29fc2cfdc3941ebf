import type { SlotUse } from '../../domain/schedule/lease.ts';

/** How fast a merchant takes slots that it holds for long. */
export interface TokenBucket {
  /** Up to this many slots it takes without a limit. */
  readonly burst: number;
  /** Beyond them it takes one in this many milliseconds. */
  readonly gapMs: number;
  /** A job that held its slot for less does not count: its receiver does not hang. */
  readonly longMs: number;
}

interface Share {
  held: number;
  /** When the merchant may take its next slot beyond the burst. */
  nextAt: number;
}

/**
 * The slots of one queue in one worker: how many of its jobs run at once, and for which merchants. The lease
 * gives a merchant another slot while it holds fewer than `factor` times the slots that are free, times its
 * weight (schedule/lease.ts). With a factor of 1 and equal weights one merchant holds at most half of the
 * slots, two a third each, and so on: one that comes late finds a free slot, although no job is interrupted.
 * Hundreds of requests that hang and began together would end together, at their deadline, again and again,
 * and everybody else's work would wait while they are recorded: beyond a burst a token bucket limits them.
 */
export class Slots {
  readonly #size: number;
  readonly #factor: number;
  readonly #bucket: TokenBucket;
  readonly #clock: () => number;
  readonly #shares = new Map<string, Share>();
  #taken = 0;

  constructor(
    size: number,
    {
      factor,
      bucket = { burst: Infinity, gapMs: 0, longMs: 0 },
      clock = () => performance.now(),
    }: { factor: number; bucket?: TokenBucket; clock?: () => number },
  ) {
    this.#size = size;
    this.#factor = factor;
    this.#bucket = bucket;
    this.#clock = clock;
  }

  /** What the lease needs to know. A merchant that must wait for its bucket counts as holding all slots. */
  get use(): SlotUse {
    const now = this.#clock();
    const held = [...this.#shares].map(([merchant_id, share]) => ({
      merchant_id,
      held: share.held >= this.#bucket.burst && share.nextAt > now ? this.#size : share.held,
    }));
    return { free: this.free, factor: this.#factor, held };
  }

  get free(): number {
    return Math.max(0, this.#size - this.#taken);
  }

  take(merchant: string | null): void {
    this.#taken += 1;
    if (merchant === null) return;
    const share = this.#shares.get(merchant) ?? { held: 0, nextAt: -Infinity };
    share.held += 1;
    if (share.held > this.#bucket.burst)
      share.nextAt = Math.max(this.#clock(), share.nextAt) + this.#bucket.gapMs;
    this.#shares.set(merchant, share);
  }

  /** Releases the slot of a job that held it for `heldMs`. */
  release(merchant: string | null, heldMs = 0): void {
    this.#taken -= 1;
    const share = merchant === null ? undefined : this.#shares.get(merchant);
    if (merchant === null || share === undefined) return;
    share.held -= 1;
    if (heldMs < this.#bucket.longMs) share.nextAt -= this.#bucket.gapMs;
    if (share.held === 0) this.#shares.delete(merchant);
  }
}
