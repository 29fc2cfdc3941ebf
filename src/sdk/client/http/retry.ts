import { ApiError, ConnectionError } from './errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A window of the rate limits has 60 s (contract, "Rate limits"). Who asks for more is not waited for. */
const MAX_RETRY_AFTER_MS = 120_000;
/** Of clients that were asked to wait for the same instant, not all come at once. */
const SPREAD = 0.1;

/** What failed and may succeed later. A request that was refused for what it says is not among them. */
const RETRIED = new Set([429, 500, 502, 503, 504]);

/**
 * How long to wait before the next attempt, in milliseconds; null: the error is final. `attempt` counts from
 * 0. As long as the service asks for (`Retry-After`), otherwise twice as long each time, from 0.5 s up to 8
 * s, at random between half of that and all.
 */
export function retryDelay(error: unknown, attempt: number, random: () => number): number | null {
  if (error instanceof ApiError) return isFinal(error) ? null : delayAfter(error, attempt, random);
  return error instanceof ConnectionError ? backoff(attempt, random) : null;
}

function isFinal({ status, message }: ApiError): boolean {
  // A network without a client of its own (contract, "Test and live merchants") gets none by waiting.
  return !RETRIED.has(status) || message.startsWith('network_unavailable');
}

function delayAfter({ retryAfterMs }: ApiError, attempt: number, random: () => number): number | null {
  if (retryAfterMs === null) return backoff(attempt, random);
  return retryAfterMs > MAX_RETRY_AFTER_MS ? null : retryAfterMs * (1 + SPREAD * random());
}

function backoff(attempt: number, random: () => number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random() / 2);
}

/**
 * The milliseconds of a `Retry-After`: seconds, or an instant, which counts from the response's own `Date`,
 * so that no clock of this machine matters. Null: there is none that can be read.
 */
export function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const ms = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
