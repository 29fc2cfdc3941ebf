import type { IncomingMessage } from 'node:http';
import { ApiError, ValidationError } from '../../domain/api/errors.ts';

/** What Node's parser says of bytes that it refuses. */
export interface ParserError extends Error {
  readonly code?: string;
  /** In its own words, which quote nothing. */
  readonly reason?: string;
  /** What came last, and how much of that it has read. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const faults = new WeakMap<IncomingMessage, ApiError>();

/** Says of a request that its bytes are at fault, for the routes to refuse it like any other. */
export function noteFault(request: IncomingMessage, fault: ApiError): void {
  faults.set(request, fault);
}

/** What is wrong with the request's own bytes; null: nothing. */
export function faultOf(request: IncomingMessage): ApiError | null {
  const noted = faults.get(request);
  if (noted !== undefined) return noted;
  return request.headers.host === undefined && request.httpVersion === '1.1'
    ? new ApiError('malformed_request', { message: 'There is no Host header, which HTTP/1.1 needs.' })
    : null;
}

/** The error of the API that says what the parser refused in a request for `target`. */
export function faultOfParser({ code, reason }: ParserError, target: string): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('header_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout');
  if (code === 'HPE_INVALID_URL' && target.includes('?'))
    return new ValidationError('query', 'format', 'must be percent-encoded UTF-8');
  if (code === 'HPE_INVALID_URL' || code === 'HPE_INVALID_CONSTANT')
    return new ApiError('malformed_request', {
      message:
        'The first line must be METHOD /path HTTP/1.1: a blank in the path or the query is written %20.',
    });
  return new ApiError('malformed_request', { message: `The request is not valid HTTP: ${reason ?? code}.` });
}
