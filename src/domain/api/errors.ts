import { isMoving } from '../../platform/postgres/unavailable.ts';

/** Every error of the API, with its status and text. */
export const API_ERRORS = {
  validation: [400, 'The request is not valid.'],
  malformed_request: [400, 'The request is not valid HTTP.'],
  unauthorized: [401, 'The X-API-Key header is missing or holds no valid key.'],
  forbidden: [403, 'The API key lacks the permission that this request needs.'],
  payment_not_found: [404, 'There is no such payment.'],
  refund_not_found: [404, 'There is no such refund of this payment.'],
  delivery_not_found: [404, 'There is no such delivery.'],
  event_not_found: [404, 'There is no such event, or it is older than 90 days.'],
  endpoint_not_found: [404, 'There is no such endpoint: GET /v1/webhooks/endpoints lists them.'],
  link_not_found: [404, 'There is no such payment link.'],
  route_not_found: [404, 'There is no such path.'],
  method_not_allowed: [
    405,
    'This path does not take that method; the Allow header lists those that it takes.',
  ],
  idempotency_conflict: [
    409,
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  ],
  cancel_not_allowed: [409, 'The payment can no longer be cancelled.'],
  refund_not_allowed: [409, "The payment's state does not allow this."],
  webhooks_off: [
    409,
    'Webhooks are disabled. Set webhookUrl and enabled with PUT /v1/webhooks/config first.',
  ],
  endpoint_off: [
    409,
    'The endpoint is switched off: GET /v1/webhooks/endpoints says why, and ' +
      'POST /v1/webhooks/endpoints/enable switches it on again.',
  ],
  too_many_endpoints: [
    409,
    'There are 100 registered endpoints already, or 10 at this origin: delete one first.',
  ],
  clock_held: [
    409,
    "The payment's clock is being moved by another request. Try again when that request has ended.",
  ],
  nothing_to_replace: [
    409,
    'There is no such transfer to replace: none was seen, or it was replaced before.',
  ],
  request_timeout: [408, 'The request has not arrived in time.'],
  body_too_large: [413, 'The body is larger than 100 kB.'],
  unsupported_media_type: [415, 'Send the body as Content-Type: application/json in UTF-8.'],
  expectation_failed: [417, 'The only Expect that is understood is 100-continue.'],
  header_too_large: [431, 'The URL and the headers together are larger than 16 kB.'],
  rate_limited: [429, 'Too many requests. X-RateLimit-Reset and Retry-After tell when to try again.'],
  internal: [500, 'Something went wrong on our side. The request_id helps us to find it.'],
  unavailable: [
    503,
    'The service cannot take this request at the moment. Try again after the time in Retry-After.',
  ],
  network_unavailable: [
    503,
    'network_unavailable: no real client serves live payments on this network. Use a test key.',
  ],
  rate_unavailable: [
    503,
    'rate_unavailable: there is no rate now that can be trusted. Try again after the time in Retry-After.',
  ],
  maintenance: [503, 'The service is under maintenance. Try again after the time in Retry-After.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ApiErrorCode = keyof typeof API_ERRORS;
type NotFoundCode = Extract<ApiErrorCode, `${string}_not_found`>;

/** Which field broke which rule; on validation errors only. */
export interface ErrorDetails {
  readonly field: string;
  readonly constraint: string;
}

/** An error that becomes the response. `message` replaces the table's text where it can be more precise. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode,
    options: { message?: string; details?: ErrorDetails; headers?: Record<string, string> } = {},
  ) {
    super(options.message ?? API_ERRORS[code][1]);
    this.name = 'ApiError';
    this.code = code;
    this.status = API_ERRORS[code][0];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/**
 * A 400 that names the field (its path in dots) and the broken rule (a JSON Schema keyword), and says how to
 * fix it. `before` is what stands in front of that in the message.
 */
export class ValidationError extends ApiError {
  constructor(field: string, constraint: string, reason: string, before = '') {
    const end = reason.endsWith('?') ? '' : '.';
    super('validation', { message: `${before}${field} ${reason}${end}`, details: { field, constraint } });
    this.name = 'ValidationError';
  }
}

/** Whether the same request may succeed in a moment: its error says so, or the merchant is being moved. */
export function isForLater(error: unknown): boolean {
  return isMoving(error) || (error instanceof ApiError && error.status === 503);
}

/** Returns what was looked for. Throws ApiError with `code` when there is none. */
export function foundOr<Value>(code: NotFoundCode, value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new ApiError(code);
  return value;
}
