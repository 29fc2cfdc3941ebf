import { createHash } from 'node:crypto';
import { MemoryStore, type IncrementResponse, type Options, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply, type SendCommandClusterFn } from 'rate-limit-redis';
import type { Context } from '../../platform/context.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { limitFallbacksTotal } from '../../platform/metrics/measures.ts';
import { ownersOfKeys, type RedisConnection } from '../../platform/redis/open.ts';
import { within } from '../../platform/logging/watch-replies.ts';

/** Limits the memory of a limiter to about 2 MB: of more clients in two windows the oldest begin again. */
const MAX_CLIENTS = 10_000;
/** How long a request waits for Redis. */
const REPLY_MS = 200;
/** Requests whose reply is outstanding. More do not ask: a Redis that hangs must not fill the memory. */
const MAX_OUTSTANDING = 2_000;
/** Redis counts again when no call has failed for this long: one that fails now and then is one line. */
const QUIET_MS = 10_000;

/** Counts in the memory of the process. */
export class OwnCounts extends MemoryStore {
  /**
   * Returns a copy, taken at once: MemoryStore returns its own record, in which several requests of one
   * moment would all read the place of the last of them.
   */
  override increment(key: string): Promise<IncrementResponse> {
    this.#makeRoom(key);
    const counted = super.increment(key);
    const record = this.current.get(key);
    return record === undefined ? counted : Promise.resolve({ ...record });
  }

  /** Goes on from what was counted elsewhere. */
  learn(key: string, { totalHits, resetTime }: IncrementResponse): void {
    if (resetTime === undefined) return;
    this.#makeRoom(key);
    this.current.set(key, { totalHits, resetTime });
  }

  /** A Map keeps the order of insertion: its first entry is the oldest. */
  #makeRoom(key: string): void {
    if (this.current.size < MAX_CLIENTS || this.current.has(key)) return;
    const [oldest] = this.current.keys();
    if (oldest !== undefined) this.current.delete(oldest);
  }
}

/** The connection to Redis that all limiters of a process share, and whether it counts. */
export class CountingRedis {
  readonly #redis: RedisConnection;
  readonly #ctx: Pick<Context, 'log' | 'now'>;
  #outstanding = 0;
  /** Null: Redis counts. */
  #lastFailure: number | null = null;

  constructor(redis: RedisConnection, ctx: Pick<Context, 'log' | 'now'>) {
    this.#redis = redis;
    this.#ctx = ctx;
  }

  /**
   * Sends a command of a store. ioredis routes a command by its key. SCRIPT LOAD has none: it goes to every
   * node that owns keys, when one has replied NOSCRIPT. The digest is computed here, and a load that fails
   * is passed over: the store keeps the promise of it, and a Redis that was away at the start, or hung at
   * that moment, would never count again.
   */
  readonly send: SendCommandClusterFn = async ({ key, command: [name = '', ...args] }) => {
    if (name !== 'SCRIPT') return (await this.#redis.call(name, ...args)) as RedisReply;
    if (key !== undefined)
      await Promise.allSettled(ownersOfKeys(this.#redis).map((node) => node.call(name, ...args)));
    return createHash('sha1')
      .update(args.at(-1) ?? '')
      .digest('hex');
  };

  /** Returns what `count` counts in Redis, in time; otherwise what `countHere` does. */
  async count(
    count: () => Promise<IncrementResponse>,
    countHere: () => Promise<IncrementResponse>,
  ): Promise<IncrementResponse> {
    try {
      const counted = await this.#inTime(count);
      this.#noteCount();
      return counted;
    } catch (error) {
      this.#noteFailure(error);
      return countHere();
    }
  }

  async #inTime(count: () => Promise<IncrementResponse>): Promise<IncrementResponse> {
    if (this.#outstanding >= MAX_OUTSTANDING) throw new Error('Redis does not answer: too many calls wait');
    this.#outstanding += 1;
    const counted = count().finally(() => (this.#outstanding -= 1));
    return within(REPLY_MS, counted, `Redis does not answer within ${REPLY_MS} ms`);
  }

  #noteFailure(error: unknown): void {
    limitFallbacksTotal.inc();
    if (this.#lastFailure === null)
      this.#ctx.log.warn("rate limits are counted in this process's memory", faultOf(error));
    this.#lastFailure = this.#ctx.now().getTime();
  }

  #noteCount(): void {
    if (this.#lastFailure === null || this.#ctx.now().getTime() < this.#lastFailure + QUIET_MS) return;
    this.#lastFailure = null;
    this.#ctx.log.info('rate limits are counted in Redis again');
  }
}

/**
 * Counts in Redis for all web processes together. A request that Redis does not count in time is counted in
 * the memory of the process, from the last count that Redis has returned, however late.
 */
export class SharedCounts implements Store {
  readonly #own = new OwnCounts();
  readonly #redis: CountingRedis;
  readonly #store: RedisStore;

  constructor(redis: CountingRedis, prefix: string) {
    this.#redis = redis;
    this.#store = new RedisStore({ prefix, sendCommandCluster: redis.send });
  }

  init(options: Options): Promise<void> {
    this.#own.init(options);
    return this.#store.init(options);
  }

  increment(key: string): Promise<IncrementResponse> {
    const count = async () => {
      const counted = await this.#store.increment(key);
      this.#own.learn(key, counted);
      return counted;
    };
    return this.#redis.count(count, () => this.#own.increment(key));
  }

  async decrement(key: string): Promise<void> {
    await this.#store.decrement(key);
  }

  async resetKey(key: string): Promise<void> {
    await this.#own.resetKey(key);
    await this.#store.resetKey(key);
  }

  shutdown(): void {
    this.#own.shutdown();
  }
}
