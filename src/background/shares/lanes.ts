import type { JobMerchant } from '../../platform/handover.ts';
import type pg from 'pg';
import { connectors, poolOf, type Db } from '../../platform/postgres/db.ts';
import { Slots } from './slots.ts';

interface Lane {
  readonly merchant: JobMerchant;
  /** Those that wait for a connection, in the order in which they came. */
  readonly waiting: (() => void)[];
}

/**
 * Shares the connections of a pool among merchants: hundreds of runs of one merchant that end at the same
 * moment, as requests to hanging receivers do, leave connections to the runs of others, and to the work that
 * is nobody's. Beyond its share, a merchant's statements wait here in their order, and merchants take turns.
 */
export class Lanes {
  readonly #db: Db;
  readonly #connections: Slots;
  readonly #lanes = new Map<string, Lane>();
  /** The pools of merchants while runs use them, so that those of one merchant share statements. */
  readonly #pools = new Map<string, WeakRef<Db>>();
  readonly #unused = new FinalizationRegistry<string>((name) => {
    if (this.#pools.get(name)?.deref() === undefined) this.#pools.delete(name);
  });

  constructor(db: Db) {
    this.#db = db;
    this.#connections = new Slots(poolOf(db).size);
  }

  /** The pool as the runs of a merchant use it: each connection and each transaction is one of its share. */
  of(merchant: JobMerchant): Db {
    const name = `${merchant.id} ${merchant.weight}`;
    const known = this.#pools.get(name)?.deref();
    if (known !== undefined) return known;
    const own = this.#open(merchant);
    this.#pools.set(name, new WeakRef(own));
    this.#unused.register(own, name);
    return own;
  }

  /** What `run` and the callers of transactions use of a pool. */
  #open(merchant: JobMerchant): Db {
    const db = this.#db;
    const within = async <Result>(work: () => PromiseLike<Result>): Promise<Result> => {
      await this.#enter(merchant);
      try {
        return await work();
      } finally {
        this.#leave(merchant);
      }
    };
    const own: object = {
      raw: (text: string) => ({
        options: (query: pg.QueryConfig) => within(() => db.raw(text).options(query)),
      }),
      transaction: (...args: Parameters<Db['transaction']>) => within(() => db.transaction(...args)),
    };
    connectors.set(own, async () => {
      await this.#enter(merchant);
      const leave = () => this.#leave(merchant);
      return poolOf(db)
        .connect(leave)
        .catch((error: unknown) => {
          leave();
          throw error;
        });
    });
    return own as Db;
  }

  async #enter(merchant: JobMerchant): Promise<void> {
    const lane = this.#lanes.get(merchant.id);
    if (lane === undefined && this.#connections.enter(merchant)) return;
    await new Promise<void>((resolve) => {
      if (lane === undefined) this.#lanes.set(merchant.id, { merchant, waiting: [resolve] });
      else lane.waiting.push(resolve);
    });
  }

  #leave(merchant: JobMerchant): void {
    this.#connections.leave(merchant);
    // A lane that got a connection waits behind the others for its next: the loop comes to it again.
    for (const [id, lane] of this.#lanes) {
      if (!this.#connections.enter(lane.merchant)) continue;
      lane.waiting.shift()?.();
      this.#lanes.delete(id);
      if (lane.waiting.length > 0) this.#lanes.set(id, lane);
    }
  }
}
