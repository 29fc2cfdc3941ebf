import type { JobMerchant } from '../platform/job.ts';
import { groupBy } from '../platform/postgres/sql.ts';

/**
 * How long a job that was handed to the queue counts as held while it has not started here: another worker
 * may have taken it.
 */
const HANDED_MS = 250;

/**
 * The slots of one queue in one worker: how many of its jobs run at once, and for which merchants. A merchant
 * gets another slot while it holds fewer than `factor` times the slots that are free, times its weight. With
 * a factor of 1 and equal weights one merchant holds at most half of the slots, two a third each, and so on:
 * one that comes late finds a free slot, although no job is ever interrupted.
 */
export class Slots {
  readonly #size: number;
  readonly #factor: number;
  readonly #clock: () => number;
  readonly #running = new Map<string, number>();
  #runningCount = 0;
  /** By merchant, when each job that the relay handed over stops to count, the earliest first. */
  readonly #handed = new Map<string, number[]>();

  constructor(size: number, { factor = 1, clock = () => performance.now() } = {}) {
    this.#size = size;
    this.#factor = factor;
    this.#clock = clock;
  }

  /**
   * Takes a slot for a job that starts; false: the merchant holds its share. A job without a merchant always
   * gets one.
   */
  enter(merchant: JobMerchant | null): boolean {
    if (merchant !== null) {
      this.#handed.get(merchant.id)?.shift();
      const running = this.#running.get(merchant.id) ?? 0;
      if (!this.#mayTake(running, merchant.weight, this.#size - this.#runningCount)) return false;
      this.#running.set(merchant.id, running + 1);
    }
    this.#runningCount += 1;
    return true;
  }

  /** Gives back the slot of a job that entered. */
  leave(merchant: JobMerchant | null): void {
    this.#runningCount -= 1;
    if (merchant === null) return;
    const running = (this.#running.get(merchant.id) ?? 0) - 1;
    if (running > 0) this.#running.set(merchant.id, running);
    else this.#running.delete(merchant.id);
  }

  /**
   * Divides jobs into those to hand over now and those that wait: one after the other gets a slot, always
   * that of the merchant who holds the fewest for its weight (weighted round robin), each merchant's in their
   * order.
   */
  divide<T extends { readonly merchant: JobMerchant }>(jobs: readonly T[]): { taken: T[]; waiting: T[] } {
    const queues = groupBy(jobs, ({ merchant }) => merchant.id);
    const merchants = [...queues.values()].flatMap(([first]) =>
      first === undefined ? [] : [first.merchant],
    );
    const counts = this.turns(merchants, (id) => queues.get(id)?.length ?? 0);
    const taken = [...counts].flatMap(([id, count]) => queues.get(id)?.splice(0, count) ?? []);
    return { taken, waiting: [...queues.values()].flat() };
  }

  /**
   * How many jobs each merchant may be handed now, at most `wanted` of it. Among equals the one that comes
   * first in `merchants` has the first turn.
   */
  turns(merchants: readonly JobMerchant[], wanted: (id: string) => number): Map<string, number> {
    const handed = this.#countHanded();
    let free = this.#size - this.#runningCount - [...handed.values()].reduce((sum, count) => sum + count, 0);
    const turns = new Map<string, number>();
    const rest = merchants.map(({ id, weight }) => ({
      id,
      weight,
      held: (this.#running.get(id) ?? 0) + (handed.get(id) ?? 0),
      wanted: wanted(id),
    }));
    for (;;) {
      let next: (typeof rest)[number] | null = null;
      for (const one of rest)
        if (one.wanted > 0 && (next === null || one.held / one.weight < next.held / next.weight)) next = one;
      if (next === null || !this.#mayTake(next.held, next.weight, free)) return turns;
      next.held += 1;
      next.wanted -= 1;
      free -= 1;
      turns.set(next.id, (turns.get(next.id) ?? 0) + 1);
    }
  }

  /** Counts jobs as held that are handed to the queue now, until they start. */
  handOver(merchants: readonly JobMerchant[]): void {
    const until = this.#clock() + HANDED_MS;
    for (const { id } of merchants) {
      const own = this.#handed.get(id);
      if (own === undefined) this.#handed.set(id, [until]);
      else own.push(until);
    }
  }

  #mayTake(held: number, weight: number, free: number): boolean {
    return held < free * this.#factor * weight;
  }

  #countHanded(): Map<string, number> {
    const now = this.#clock();
    const counts = new Map<string, number>();
    for (const [id, until] of this.#handed) {
      while (until[0] !== undefined && until[0] <= now) until.shift();
      if (until.length === 0) this.#handed.delete(id);
      else counts.set(id, until.length);
    }
    return counts;
  }
}
