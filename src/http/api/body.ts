import express, { type Request, type RequestHandler } from 'express';
import { ApiError, ValidationError } from '../../domain/api/errors.ts';
import type { UploadedFile } from '../../domain/api/endpoint.ts';
import { messageOf } from '../../platform/log.ts';

/** A payment with every field at its maximum stays far below. */
const MAX_BODY = '100kb';

/** Without this, a body of another type would be ignored and reported as missing. */
const requireJson: RequestHandler = (request, _response, next) => {
  if (
    hasBody(request) &&
    (request.is('application/json') === false || !isUtf8(request.headers['content-type']))
  )
    throw new ApiError('unsupported_media_type');
  next();
};

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

const parse: RequestHandler = (request, _response, next) => {
  const bytes: unknown = request.body;
  request.body = Buffer.isBuffer(bytes) && bytes.length > 0 ? parseJson(bytes) : undefined;
  next();
};

// Express's own JSON parser replaces bytes that are not UTF-8 by U+FFFD, so that a merchant would read back
// other text than they wrote, and rejects a body such as `null` or `5` as invalid JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (isCompressed(bytes))
      throw new ValidationError(
        'body',
        'json',
        'is still compressed: compress it once, and name how as Content-Encoding',
      );
    throw new ValidationError('body', 'json', `is not valid JSON: ${messageOf(error)}`);
  }
}

/** Whether bytes begin as gzip or zstd do: sent without Content-Encoding, or compressed twice. */
function isCompressed(bytes: Buffer): boolean {
  return [Buffer.of(0x1f, 0x8b), Buffer.of(0x28, 0xb5, 0x2f, 0xfd)].some((magic) =>
    bytes.subarray(0, magic.length).equals(magic),
  );
}

/**
 * Reads a JSON body in UTF-8, compressed or not, of at most 100 kB into `request.body`; undefined when there
 * is none.
 */
export const readJson: readonly RequestHandler[] = [
  requireJson,
  express.raw({ type: () => true, limit: MAX_BODY }),
  parse,
];

/** Reads a file of one of these media types, of at most 100 kB, into `request.body`. */
export function readFile(types: readonly string[]): readonly RequestHandler[] {
  const requireType: RequestHandler = (request, _response, next) => {
    if (hasBody(request) && typeOf(request, types) === null)
      throw new ApiError('unsupported_media_type', {
        message: `Send the file itself as the body, as Content-Type: ${types.join(' or ')}.`,
      });
    next();
  };
  return [requireType, express.raw({ type: () => true, limit: MAX_BODY })];
}

/** The file that `readFile` has read; null: the request has no body. */
export function fileOf(request: Request, types: readonly string[]): UploadedFile | null {
  const bytes: unknown = request.body;
  const type = typeOf(request, types);
  return Buffer.isBuffer(bytes) && bytes.length > 0 && type !== null ? { type, bytes } : null;
}

function typeOf(request: Request, types: readonly string[]): string | null {
  const named = request.is([...types]);
  return typeof named === 'string' ? named : null;
}
