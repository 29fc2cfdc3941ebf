import type { JobMerchant } from '../../platform/handover.ts';
import { groupBy } from '../../platform/postgres/sql.ts';
import { Pace, type PaceOptions } from './pace.ts';

/**
 * A job that was handed to the queue and has not started here within this time may have been taken by another
 * worker: the queue says whether it still waits.
 */
const HANDED_MS = 250;
/**
 * The most jobs of a merchant, times its weight, that wait in the queue, which starts one after the other:
 * those of others come behind them.
 */
const MAX_HANDED = 100;

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
  readonly #pace: Pace | null;

  /** `pace` bounds how fast a merchant takes slots; absent: nothing does. */
  constructor(
    size: number,
    {
      factor = 1,
      clock = () => performance.now(),
      pace,
    }: { factor?: number; clock?: () => number; pace?: PaceOptions } = {},
  ) {
    this.#size = size;
    this.#factor = factor;
    this.#clock = clock;
    this.#pace = pace === undefined ? null : new Pace(pace, clock);
  }

  /**
   * Takes a slot for a job that starts; false: the merchant holds its share, or takes slots too fast. A job
   * without a merchant always gets one.
   */
  enter(merchant: JobMerchant | null): boolean {
    if (merchant !== null) {
      this.#takeHanded(merchant.id);
      const running = this.#running.get(merchant.id) ?? 0;
      if (!this.#mayTake(running, merchant.weight, this.#size - this.#runningCount)) return false;
      if (this.#startsOf(merchant) < 1) return false;
      this.#pace?.take(merchant);
      this.#running.set(merchant.id, running + 1);
    }
    this.#runningCount += 1;
    return true;
  }

  /** Gives back the slot of a job that entered, and held it for so many milliseconds. */
  leave(merchant: JobMerchant | null, heldMs = 0): void {
    this.#runningCount -= 1;
    if (merchant === null) return;
    this.#pace?.end(merchant, heldMs);
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
    const handed = new Map([...this.#handed].map(([id, times]) => [id, times.length]));
    let free = this.#size - this.#runningCount - [...handed.values()].reduce((sum, count) => sum + count, 0);
    const turns = new Map<string, number>();
    const rest = merchants.map((merchant) => {
      const { id, weight } = merchant;
      const inQueue = handed.get(id) ?? 0;
      return {
        id,
        weight,
        held: (this.#running.get(id) ?? 0) + inQueue,
        wanted: Math.min(wanted(id), Math.min(MAX_HANDED * weight, this.#handsOf(merchant)) - inQueue),
      };
    });
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

  /** Whether jobs that were handed over should have started, so that the queue must be asked. */
  get areStartsLate(): boolean {
    const now = this.#clock();
    return [...this.#handed.values()].some(([first = Infinity]) => first <= now);
  }

  /**
   * Of the jobs that should have started, only as many as wait in the queue still count as held, the latest
   * ones: the queue is first in, first out, so other workers have started the others.
   */
  forgetStarted(waitingInQueue: number): void {
    const now = this.#clock();
    const late = [...this.#handed].flatMap(([id, times]) =>
      times.filter((until) => until <= now).map((until) => ({ id, until })),
    );
    const waiting = late.toSorted((a, b) => b.until - a.until).slice(0, waitingInQueue);
    for (const [id, times] of this.#handed) {
      const again = waiting.filter((one) => one.id === id).map(() => now + HANDED_MS);
      const counted = [...times.filter((until) => until > now), ...again];
      if (counted.length === 0) this.#handed.delete(id);
      else this.#handed.set(id, counted);
    }
  }

  #takeHanded(id: string): void {
    const times = this.#handed.get(id);
    times?.shift();
    if (times?.length === 0) this.#handed.delete(id);
  }

  #startsOf(merchant: JobMerchant): number {
    return this.#pace?.left(merchant) ?? Infinity;
  }

  #handsOf(merchant: JobMerchant): number {
    return this.#pace?.leftToHandOver(merchant) ?? Infinity;
  }

  #mayTake(held: number, weight: number, free: number): boolean {
    return held < free * this.#factor * weight;
  }
}
