import { addSeconds, type Clock } from '../../platform/clock.ts';
import type { Handover, LeasedJob } from '../../platform/handover.ts';
import { groupBy } from '../../platform/postgres/sql.ts';
import { LEASE_SECONDS, MAX_KEYS } from '../shares/bounds.ts';

export interface HandoverOptions {
  readonly now: Clock;
  /** Between two handovers; the first goes at once. */
  readonly spaceMs: number;
  /** Whether this process hands over jobs of this name, and their queue has room. */
  readonly mayLease: (name: string) => boolean;
  /** Hands over jobs that are leased until `leaseEnd`; never rejects. */
  readonly handOver: (jobs: readonly LeasedJob[], leaseEnd: Date) => Promise<void>;
}

/**
 * Hands over what the runs of this process lease as they schedule it: at once, and within the space after
 * that together. A process that dies leaves leases that end.
 */
export class Handovers implements Handover {
  readonly #options: HandoverOptions;
  readonly #running = new Set<Promise<void>>();
  #held: { readonly leased: LeasedJob; readonly leaseEnd: Date }[] = [];
  #leaseEnd: Date | null = null;
  #freeAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /** The same for all runs of a second, so that what they lease goes together. */
  leaseEndOf({ name }: { readonly name: string }): Date | null {
    const { mayLease } = this.#options;
    if (this.#isClosed || this.#held.length >= MAX_KEYS || !mayLease(name)) return null;
    const atMost = addSeconds(this.#options.now(), LEASE_SECONDS);
    const atLeast = addSeconds(atMost, -1);
    if (this.#leaseEnd === null || this.#leaseEnd < atLeast || this.#leaseEnd > atMost)
      this.#leaseEnd = atMost;
    return this.#leaseEnd;
  }

  take(jobs: readonly LeasedJob[], leaseEnd: Date): void {
    this.#held.push(...jobs.map((leased) => ({ leased, leaseEnd })));
    if (this.#held.length === 0 || this.#timer !== null) return;
    const leftMs = this.#freeAt - performance.now();
    if (leftMs <= 0) this.#handOver();
    else this.#timer = setTimeout(() => this.#handOver(), leftMs);
  }

  /** Leases nothing from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Hands over what is held, and resolves when nothing is under way. */
  async settle(): Promise<void> {
    this.#handOver();
    await Promise.all(this.#running);
  }

  #handOver(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#freeAt = performance.now() + this.#options.spaceMs;
    const held = this.#held;
    this.#held = [];
    const ends = groupBy(held, ({ leaseEnd }) => leaseEnd.toISOString());
    for (const group of ends.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const jobs = group.map(({ leased }) => leased);
      const running = this.#options.handOver(jobs, first.leaseEnd).finally(() => {
        this.#running.delete(running);
      });
      this.#running.add(running);
    }
  }
}
