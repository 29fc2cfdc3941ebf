/** What every error of the client is; none holds the API key, a header or a query. */
export class PaymentCheckoutError extends Error {
  /** The name of the class. */
  override readonly name: string = 'PaymentCheckoutError';
}

/** No response arrived, by any of the attempts. `cause` is the last attempt's error. */
export class ConnectionError extends PaymentCheckoutError {
  /** The name of the class. */
  override readonly name: string = 'ConnectionError';
}

/** The last attempt took longer than `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  /** The name of the class. */
  override readonly name = 'TimeoutError';
}

/** Which field broke which rule (contract, "Errors"). */
export interface ErrorDetails {
  /** Its path with dots, such as `metadata.colour`, or `body`. */
  readonly field: string;
  /** The keyword of JSON Schema, such as `required`, or `json`. */
  readonly constraint: string;
}

/** What a response says of an error. */
export interface ApiErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly requestId: string | null;
  readonly details: ErrorDetails | null;
  readonly retryAfterMs: number | null;
}

/** The kind of an error (contract, "Errors"); `unexpected`: its status is none of the service's. */
export type ApiErrorCode =
  | 'validation'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'internal'
  | 'unavailable'
  | 'unexpected';
const CODES: Partial<Record<number, ApiErrorCode>> = {
  400: 'validation',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable',
};

/** The service, or something before it, answered with an error. `message` is the service's sentence. */
export class ApiError extends PaymentCheckoutError {
  /** The name of the class. */
  override readonly name: string = 'ApiError';
  /** The status of the response. */
  readonly status: number;
  /** The kind of the error. */
  readonly code: ApiErrorCode;
  /** Names the request to the service's operators; null where the response did not come from the service. */
  readonly requestId: string | null;
  /** On validation errors only. */
  readonly details: ErrorDetails | null;
  /** How long the service asks to wait; null where it does not ask. */
  readonly retryAfterMs: number | null;

  /** @internal */
  constructor({ status, message, requestId, details, retryAfterMs }: ApiErrorFacts) {
    super(message);
    this.status = status;
    this.code = CODES[status] ?? 'unexpected';
    this.requestId = requestId;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 400: `details` names the field and the rule that it broke. */
export class ValidationError extends ApiError {
  /** The name of the class. */
  override readonly name = 'ValidationError';
}
/** 401: the key is missing or unknown. */
export class AuthenticationError extends ApiError {
  /** The name of the class. */
  override readonly name = 'AuthenticationError';
}
/** 403: the key lacks a permission. */
export class PermissionError extends ApiError {
  /** The name of the class. */
  override readonly name = 'PermissionError';
}
/** 404. */
export class NotFoundError extends ApiError {
  /** The name of the class. */
  override readonly name = 'NotFoundError';
}
/** 409: the state does not allow it, or the idempotency key was used with another body. */
export class ConflictError extends ApiError {
  /** The name of the class. */
  override readonly name = 'ConflictError';
}
/** 429, after all retries. */
export class RateLimitError extends ApiError {
  /** The name of the class. */
  override readonly name = 'RateLimitError';
}
/** 5xx, after all retries. */
export class ServerError extends ApiError {
  /** The name of the class. */
  override readonly name = 'ServerError';
}

const CLASSES: Partial<Record<number, new (facts: ApiErrorFacts) => ApiError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of a status, as the most precise class. */
export function apiError(facts: ApiErrorFacts): ApiError {
  const Class = CLASSES[facts.status] ?? (facts.status >= 500 ? ServerError : ApiError);
  return new Class(facts);
}
