import { setImmediate } from 'node:timers/promises';
import { isUnavailable, type Connection } from './postgres/db.ts';
import { Overloaded } from './postgres/unavailable.ts';

export interface BatchLimits {
  /** The most items of one run. */
  readonly size: number;
  /** How many may wait for their run; one more is refused. */
  readonly waiting: number;
}

interface Asked<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does the work of many callers at once (group commit): what comes in one turn of the event loop goes
 * together, and what comes while a run is under way waits for its end. Nobody waits for a timer. Each caller
 * has its own outcome: where a run fails, its items run one by one, so that an item that cannot be done fails
 * alone.
 */
export class Batch<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  readonly #endsAll: (error: unknown) => boolean;
  #asked: Asked<Item, Result>[] = [];
  #isRunning = false;
  /** Called whenever nothing is asked for any more. */
  onIdle: () => void = () => undefined;

  /**
   * `run` returns the results in the order of its items. Each item is all or
   * nothing. `endsAll` picks the errors that fail all items of a run, and all that wait for its end: default,
   * that Postgres is unavailable.
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
   * Resolves with the result of the item. A run begins after all its items were asked for: it sees what was
   * committed before any of them was. Throws what its run throws, Overloaded, with nothing done, where
   * too many wait, and the error of the run before where that ends all: this item would have waited for
   * two runs that run out of time.
   */
  do(item: Item): Promise<Result> {
    if (this.#asked.length >= this.#limits.waiting)
      return Promise.reject(new Overloaded(`${this.#limits.waiting} others wait`));
    return new Promise((resolve, reject) => {
      this.#asked.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    await setImmediate();
    while (this.#asked.length > 0) {
      const together = this.#asked.splice(0, this.#limits.size);
      try {
        await this.#settle(together);
      } catch (error) {
        for (const { reject } of [...together, ...this.#asked.splice(0)]) reject(error);
      }
    }
    this.#isRunning = false;
    this.onIdle();
  }

  /** Throws an error that ends all. */
  async #settle(together: readonly Asked<Item, Result>[]): Promise<void> {
    const [only, ...more] = together;
    if (only === undefined) return;
    try {
      const results = await this.#run(together.map(({ item }) => item));
      for (const [place, { resolve }] of together.entries()) resolve(results[place] as Result);
    } catch (error) {
      if (this.#endsAll(error)) throw error;
      if (more.length === 0) return only.reject(error);
      for (const one of together) await this.#settle([one]);
    }
  }
}

/**
 * Returns what does an item on a connection, together with those of its group that others ask of the same
 * connection; by default all are one group. Groups wait for each other no more than their connections do. A
 * transaction is a connection of its own, so that nothing of it is done in another.
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
