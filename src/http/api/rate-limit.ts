import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { MemoryStore, rateLimit, type IncrementResponse, type Options, type Store } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Config } from '../../platform/config/config.ts';
import { ApiError } from '../../platform/errors.ts';
import { noteFacts } from '../logging/access-log.ts';
import { ownersOfKeys, type RedisConnection } from '../../platform/redis/open.ts';

const WINDOW_MS = 60_000;

/**
 * Creates a limiter of `perMinute` requests for each client; `clientOf` names the client of a request.
 * Requests that `isUnlimited` picks are not counted.
 */
export type Limiters = (
  name: string,
  perMinute: number,
  clientOf: (request: Request) => string,
  isUnlimited?: (request: Request) => boolean,
) => RequestHandler;

/**
 * Limits of `perMinute` requests in a window of 60 s for each `name` and client. Redis counts for all web
 * processes together; while Redis is unavailable or not configured, each process counts in its own memory. A
 * limiter sets the three X-RateLimit headers; above the limit it passes on ApiError rate_limited, with
 * Retry-After.
 */
export function limiters(config: Pick<Config, 'rateLimitScale'>, redis: RedisConnection | null): Limiters {
  return (name, perMinute, clientOf, isUnlimited = () => false) => {
    const most = Math.max(1, Math.floor(perMinute * config.rateLimitScale));
    return rateLimit({
      windowMs: WINDOW_MS,
      limit: most,
      skip(request, response) {
        if (!isUnlimited(request)) return false;
        setFullLimit(response, most);
        return true;
      },
      legacyHeaders: true,
      standardHeaders: false,
      keyGenerator: clientOf,
      store: redis === null ? new MemoryStore() : new FallbackStore(redis, `{limit}:${name}:`),
      handler(_request, response, next) {
        noteFacts(response, { reason: `rate_limited: ${name}, ${most} a minute` });
        next(new ApiError('rate_limited'));
      },
      // The checks run on every request and look for mistakes in set-ups that do not exist here.
      validate: false,
    });
  };
}

/** The three headers of a response that no limit counts. */
function setFullLimit(response: Response, most: number): void {
  response.setHeader('X-RateLimit-Limit', most);
  response.setHeader('X-RateLimit-Remaining', most);
  response.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + WINDOW_MS) / 1000));
}

/** Counts in Redis, and in memory while Redis is unavailable. */
class FallbackStore implements Store {
  readonly prefix: string;
  readonly #memory = new MemoryStore();
  readonly #redis: RedisStore;

  constructor(redis: RedisConnection, prefix: string) {
    this.prefix = prefix;
    this.#redis = new RedisStore({ prefix, sendCommandCluster: (details) => send(redis, details) });
  }

  init(options: Options): void {
    this.#memory.init(options);
    void this.#redis.init(options);
  }

  async increment(key: string): Promise<IncrementResponse> {
    try {
      return await this.#redis.increment(key);
    } catch {
      // The connection's own listener has logged that Redis is unavailable.
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

/**
 * Sends a command of the store. ioredis routes a command by its key. SCRIPT LOAD has none: it goes to every
 * node that may own a key, and its result is computed here. The store keeps the promise of that result for
 * good, so one load that fails while Redis is unavailable would fail every later request. EVALSHA reports a
 * script that a node lacks (NOSCRIPT), after a start, a restart or a failover of Redis; the store then loads
 * it, which is why the load without a key, at the store's own start, sends nothing.
 */
async function send(
  redis: RedisConnection,
  { key, command: [name = '', ...args] }: { key?: string; command: string[] },
): Promise<RedisReply> {
  if (name !== 'SCRIPT') return (await redis.call(name, ...args)) as RedisReply;
  if (key !== undefined)
    await Promise.allSettled(ownersOfKeys(redis).map((node) => node.call(name, ...args)));
  return createHash('sha1')
    .update(args.at(-1) ?? '')
    .digest('hex');
}
