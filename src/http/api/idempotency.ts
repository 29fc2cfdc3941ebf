import type { Request } from 'express';
import { hashBody } from '../../domain/idempotency/claim.ts';
import type { Caller, Endpoint, IdempotencyClaim } from '../../domain/api/endpoint.ts';
import { ValidationError } from '../../domain/api/errors.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Longer than every id, and without what Postgres does not store or index. */
const STORABLE = /^[\w-]{0,64}$/;

/**
 * The request's claim to run once; null without an Idempotency-Key, which only POST requests may have, and
 * for a path that names nothing that can exist: its 404 stores nothing. Throws ValidationError for a
 * malformed key.
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
  const params = Object.values(request.params).map(String);
  if (!params.every((param) => STORABLE.test(param))) return null;
  return {
    merchantId: caller.merchantId,
    method: request.method,
    // Normalised: a trailing slash or a percent-encoded letter does not make another request.
    path: path.replaceAll(/:(\w+)/g, (_, name: string) => String(request.params[name])),
    key,
    bodyHash: hashBody(body),
  };
}
