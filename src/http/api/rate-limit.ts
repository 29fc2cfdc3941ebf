import type { Request, RequestHandler } from 'express';
import {
  ipKeyGenerator,
  MemoryStore,
  rateLimit,
  type IncrementResponse,
  type Options,
  type Store,
} from 'express-rate-limit';
import type { Config } from '../../platform/config/config.ts';
import { ApiError } from '../../platform/errors.ts';
import type { RedisConnection } from '../../platform/redis.ts';

const WINDOW_MS = 60_000;

/** Makes limiters that share one place to count. */
export type Limiters = (
  name: string,
  perMinute: number,
  whoOf: (request: Request) => string,
) => RequestHandler;

/**
 * Limits of `perMinute` requests in a window of 60 s for each `name` and each `who`, counted in Redis for all web processes together
 * and, while Redis is away or not configured, in the process's own memory. Each sets the three X-RateLimit headers; above the limit
 * the request ends in ApiError rate_limited, with Retry-After.
 */
export function limiters(config: Pick<Config, 'rateLimitScale'>, redis: RedisConnection | null): Limiters {
  return (name, perMinute, whoOf) =>
    rateLimit({
      windowMs: WINDOW_MS,
      limit: Math.max(1, Math.floor(perMinute * config.rateLimitScale)),
      legacyHeaders: true,
      standardHeaders: false,
      keyGenerator: whoOf,
      store: redis === null ? new MemoryStore() : new FallbackStore(redis, `{limit}:${name}:`),
      handler: (_request, _response, next) => next(new ApiError('rate_limited')),
      // They look for mistakes of a set-up that does not exist here, on every request.
      validate: false,
    });
}

/** Who a request without a key comes from: its address, an IPv6 one by its /56. */
export function addressOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '');
}

/** ioredis loads a script into whichever node of a cluster needs it; the ready-made Redis stores do not. */
const INCREMENT = `
  local hits = redis.call('INCR', KEYS[1])
  if hits == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { hits, redis.call('PTTL', KEYS[1]) }
`;

type WithIncrement = RedisConnection & {
  countRequest(key: string, windowMs: number): Promise<[hits: number, ttl: number]>;
};

/** Counts in Redis, and in memory as long as Redis does not answer. */
class FallbackStore implements Store {
  readonly prefix: string;
  readonly #memory = new MemoryStore();
  readonly #redis: WithIncrement;

  constructor(redis: RedisConnection, prefix: string) {
    if (!('countRequest' in redis)) redis.defineCommand('countRequest', { numberOfKeys: 1, lua: INCREMENT });
    this.#redis = redis as WithIncrement;
    this.prefix = prefix;
  }

  init(options: Options): void {
    this.#memory.init(options);
  }

  async increment(key: string): Promise<IncrementResponse> {
    try {
      const [totalHits, ttl] = await this.#redis.countRequest(this.prefix + key, WINDOW_MS);
      return { totalHits, resetTime: new Date(Date.now() + Math.max(0, ttl)) };
    } catch {
      // The connection's own listener has logged that Redis is away.
      return this.#memory.increment(key);
    }
  }

  async decrement(key: string): Promise<void> {
    await this.#memory.decrement(key);
  }

  async resetKey(key: string): Promise<void> {
    await this.#memory.resetKey(key);
  }

  shutdown(): void {
    this.#memory.shutdown();
  }
}
