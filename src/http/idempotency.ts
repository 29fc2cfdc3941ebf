import type { Request } from 'express';
import { hashBody } from '../domain/idempotency/claim.ts';
import type { Caller, IdempotencyClaim } from '../platform/endpoint.ts';
import { ValidationError } from '../platform/errors.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The request's claim to be executed once; null without an Idempotency-Key. Throws ValidationError for a malformed one. */
export function claimOf(request: Request, caller: Caller, body: unknown): IdempotencyClaim | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key))
    throw new ValidationError('Idempotency-Key', 'pattern', 'must be 1 to 255 visible ASCII characters');
  return {
    merchantId: caller.merchantId,
    method: request.method,
    path: request.path,
    key,
    bodyHash: hashBody(body),
  };
}
