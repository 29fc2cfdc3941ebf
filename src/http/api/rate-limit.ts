import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../domain/api/errors.ts';
import type { RedisConnection } from '../../platform/redis/open.ts';
import { noteFacts } from '../logging/access-log.ts';
import { CountingRedis, OwnCounts, SharedCounts } from './counts.ts';

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
export function limiters(
  ctx: Pick<Context, 'config' | 'log' | 'now'>,
  connection: RedisConnection | null,
): Limiters {
  const redis = connection === null ? null : new CountingRedis(connection, ctx);
  return (name, perMinute, clientOf, isUnlimited = () => false) => {
    const most = Math.max(1, Math.floor(perMinute * ctx.config.rateLimitScale));
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
      // `{limit}` puts all keys into one slot of a cluster.
      store: redis === null ? new OwnCounts() : new SharedCounts(redis, `{limit}:${name}:`),
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
  response.setHeader('X-RateLimit-Limit', String(most));
  response.setHeader('X-RateLimit-Remaining', String(most));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil((Date.now() + WINDOW_MS) / 1000)));
}
