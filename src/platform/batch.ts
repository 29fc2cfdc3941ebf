import { setImmediate } from 'node:timers/promises';
import { isUnavailable, type Connection } from './postgres/db.ts';
import { Overloaded } from './postgres/unavailable.ts';

export interface BatchLimits {
  /** The most items of one run. */
  readonly size: number;
  /** How many may wait for their run; one more is refused. */
  readonly waiting: number;
}

interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs the items of many callers at once (group commit): those of one turn of the event loop share a run, and
 * those that come during a run wait for its end. Nobody waits for a timer. Each caller has its own outcome:
 * where a run fails, its items run one by one, so that an item that cannot succeed fails alone.
 */
export class Batch<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  readonly #endsAll: (error: unknown) => boolean;
  #pending: Pending<Item, Result>[] = [];
  #isRunning = false;
  /** Called whenever no item is left. */
  onIdle: () => void = () => undefined;

  /**
   * `run` returns the results in the order of its items. Each item is all or nothing. `endsAll` picks the
   * errors that fail all items of a run, and all that wait for its end: default: Postgres is unavailable.
   */
  constructor(
    run: (items: readonly Item[]) => Promise<readonly Result[]>,
    limits: BatchLimits,
    endsAll: (error: unknown) => boolean = isUnavailable,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#endsAll = endsAll;
  }

  /**
   * Resolves with the result of the item. A run begins after all its items were added: it sees what was
   * committed before. Throws what its run throws; Overloaded, with nothing done, where too many wait; and the
   * error of the run before where that ends all: this item would have waited for two runs that time out.
   */
  do(item: Item): Promise<Result> {
    if (this.#pending.length >= this.#limits.waiting)
      return Promise.reject(new Overloaded(`${this.#limits.waiting} others wait`));
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    await setImmediate();
    while (this.#pending.length > 0) {
      const items = this.#pending.splice(0, this.#limits.size);
      try {
        await this.#settle(items);
      } catch (error) {
        for (const { reject } of [...items, ...this.#pending.splice(0)]) reject(error);
      }
    }
    this.#isRunning = false;
    this.onIdle();
  }

  /** Throws an error that ends all. */
  async #settle(items: readonly Pending<Item, Result>[]): Promise<void> {
    const [only, ...more] = items;
    if (only === undefined) return;
    try {
      const results = await this.#run(items.map(({ item }) => item));
      for (const [place, { resolve }] of items.entries()) resolve(results[place] as Result);
    } catch (error) {
      if (this.#endsAll(error)) throw error;
      if (more.length === 0) return only.reject(error);
      for (const one of items) await this.#settle([one]);
    }
  }
}

/**
 * Returns a function that runs an item on a connection, in one batch with items of its group on the same
 * connection; by default all are one group. Groups wait for each other no more than their connections do. A
 * transaction is a connection of its own: none of its items runs in another.
 */
export function sharedBatch<Item, Result>(
  run: (connection: Connection, items: readonly Item[]) => Promise<readonly Result[]>,
  limits: BatchLimits,
  groupOf: (item: Item) => string = () => '',
): (connection: Connection, item: Item) => Promise<Result> {
  const batches = new WeakMap<Connection, Map<string, Batch<Item, Result>>>();
  return (connection, item) => {
    const groups = batches.get(connection) ?? new Map<string, Batch<Item, Result>>();
    batches.set(connection, groups);
    const group = groupOf(item);
    const batch = groups.get(group) ?? new Batch((items) => run(connection, items), limits);
    batch.onIdle = () => void groups.delete(group);
    groups.set(group, batch);
    return batch.do(item);
  };
}
