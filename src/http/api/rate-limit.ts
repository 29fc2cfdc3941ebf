import { MemoryStore, type Options } from 'express-rate-limit';
import type { Request, RequestHandler, Response } from 'express';
import type { Config } from '../../platform/config/config.ts';
import { ApiError } from '../../platform/errors.ts';
import { noteFacts } from '../logging/access-log.ts';
import type { RedisConnection } from '../../platform/redis/open.ts';
import { RedisCounts, type Count } from './redis-counts.ts';

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
  const shared = redis === null ? null : new RedisCounts(redis, WINDOW_MS);
  return (name, perMinute, clientOf, isUnlimited = () => false) => {
    const most = Math.max(1, Math.floor(perMinute * config.rateLimitScale));
    const count = counter(shared, `{limit}:${name}:`);
    return async (request, response, next) => {
      if (isUnlimited(request)) {
        setHeaders(response, most, most, WINDOW_MS);
        return next();
      }
      const { hits, leftMs } = await count(clientOf(request));
      setHeaders(response, most, Math.max(0, most - hits), leftMs);
      if (hits <= most) return next();
      response.setHeader('Retry-After', String(Math.max(0, Math.ceil(leftMs / 1000))));
      noteFacts(response, { reason: `rate_limited: ${name}, ${most} a minute` });
      next(new ApiError('rate_limited'));
    };
  };
}

function setHeaders(response: Response, most: number, remaining: number, leftMs: number): void {
  // The client has left, and the error of that was sent.
  if (response.headersSent) return;
  response.setHeader('X-RateLimit-Limit', String(most));
  response.setHeader('X-RateLimit-Remaining', String(remaining));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil((Date.now() + leftMs) / 1000)));
}

/**
 * Counts in Redis, and in memory without it and while it is unavailable. `{limit}` in the prefix puts all
 * keys into one slot of a cluster.
 */
function counter(shared: RedisCounts | null, prefix: string): (client: string) => Promise<Count> {
  const memory = new MemoryStore();
  memory.init({ windowMs: WINDOW_MS } as Options);
  const countHere = async (client: string) => {
    const { totalHits, resetTime } = await memory.increment(client);
    return { hits: totalHits, leftMs: Number(resetTime) - Date.now() };
  };
  if (shared === null) return countHere;
  // The connection's own listener has logged that Redis is unavailable.
  return (client) => shared.count(prefix + client).catch(() => countHere(client));
}
