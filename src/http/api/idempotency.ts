import type { Request } from 'express';
import { hashBody } from '../../domain/idempotency/claim.ts';
import type { Caller, Endpoint, IdempotencyClaim } from '../../platform/endpoint.ts';
import { ValidationError } from '../../platform/errors.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * The request's claim to run once; null without an Idempotency-Key, which only POST requests may have. Throws
 * ValidationError for a malformed key.
 */
export function claimOf(
  request: Request,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  caller: Caller | null,
  body: unknown,
): IdempotencyClaim | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || caller === null || method !== 'post') return null;
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key))
    throw new ValidationError('Idempotency-Key', 'pattern', 'must be 1 to 255 visible ASCII characters');
  return {
    merchantId: caller.merchantId,
    method: request.method,
    // Normalised: a trailing slash or a percent-encoded letter does not make another request.
    path: path.replaceAll(/:(\w+)/g, (_, name: string) => String(request.params[name])),
    key,
    bodyHash: hashBody(body),
  };
}
