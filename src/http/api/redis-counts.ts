import { createHash } from 'node:crypto';
import { Batch } from '../../platform/batch.ts';
import type { RedisConnection } from '../../platform/redis/open.ts';

/** A request's place among those of its key in the window, and the time until the window ends. */
export interface Count {
  readonly hits: number;
  readonly leftMs: number;
}

/** A call of the script takes some 1 us for each key, while nothing else runs in Redis. */
const LIMITS = { size: 500, waiting: 2_000 };

/**
 * Counts in Redis, with a window for each key. What is counted while a call is under way waits for its reply,
 * and goes together in the next one. A call that fails fails everything that waits for it: those requests
 * must not wait for one more that runs out of time.
 */
export class RedisCounts {
  readonly #redis: RedisConnection;
  readonly #windowMs: number;
  readonly #batch = new Batch(
    (keys: readonly string[]) => this.#countAll(keys),
    LIMITS,
    () => true,
  );

  constructor(redis: RedisConnection, windowMs: number) {
    this.#redis = redis;
    this.#windowMs = windowMs;
  }

  /**
   * Counts a request. The keys of all calls must be in one slot of a cluster: they begin with one `{tag}`.
   * Throws what ioredis throws, and ApiError unavailable where too many wait.
   */
  count(key: string): Promise<Count> {
    return this.#batch.do(key);
  }

  /** Of several requests with one key, each has its own place. */
  async #countAll(keys: readonly string[]): Promise<Count[]> {
    const own = new Map<string, number>();
    for (const key of keys) own.set(key, (own.get(key) ?? 0) + 1);
    const reply = await this.#call([...own.keys()], [this.#windowMs, ...own.values()]);
    const windows = new Map(
      [...own].map(([key, count], i) => [
        key,
        { hits: at(reply, 2 * i) - count, leftMs: at(reply, 2 * i + 1) },
      ]),
    );
    return keys.map((key) => {
      const window = windows.get(key) ?? { hits: 0, leftMs: this.#windowMs };
      window.hits += 1;
      return { ...window };
    });
  }

  /** A node lacks the script after a start, a restart or a failover: EVAL runs it there, and keeps it. */
  async #call(keys: readonly string[], args: readonly number[]): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args].map(String);
    try {
      return await this.#redis.call('EVALSHA', DIGEST, ...rest);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await this.#redis.call('EVAL', SCRIPT, ...rest);
    }
  }
}

/** Throws where the reply is not that of the script: the caller counts elsewhere. */
function at(reply: unknown, place: number): number {
  const value: unknown = Array.isArray(reply) ? reply[place] : undefined;
  if (typeof value !== 'number') throw new TypeError('Redis has not returned the counts of its script');
  return value;
}

// The window begins with the first request in it; a key without an expiry, which nothing here leaves, begins
// one as well.
const SCRIPT = `
local windowMs = tonumber(ARGV[1])
local counts = {}
for i, key in ipairs(KEYS) do
  local leftMs = redis.call('PTTL', key)
  if leftMs <= 0 then
    leftMs = windowMs
    redis.call('SET', key, ARGV[i + 1], 'PX', windowMs)
    counts[2 * i - 1] = tonumber(ARGV[i + 1])
  else
    counts[2 * i - 1] = redis.call('INCRBY', key, ARGV[i + 1])
  end
  counts[2 * i] = leftMs
end
return counts`;
const DIGEST = createHash('sha1').update(SCRIPT).digest('hex');
