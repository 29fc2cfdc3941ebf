/**
 * Spreads each delay in both directions, so deliveries that failed together are not retried together
 * (contract, "Events").
 */
const JITTER = 0.2;
/** A receiver may request more time with Retry-After, up to this multiple of the schedule's delay. */
const RETRY_AFTER_MAX_FACTOR = 4;

/**
 * Returns when to try again after attempt number `failedAttempt` (1 is the first) has failed, or null when
 * the schedule is exhausted.
 *
 * `scheduleSeconds[n - 1]` is the delay after failed attempt n, so there is one attempt more than the
 * schedule has delays. `random` is from [0, 1). `retryAfter` is the response's header as received: seconds or
 * an HTTP date (RFC 9110, 10.2.3), anything else is ignored. It counts from the schedule's delay up to
 * RETRY_AFTER_MAX_FACTOR times that, and is spread forwards only: never earlier than requested.
 */
export function nextAttemptAt(input: {
  failedAttempt: number;
  scheduleSeconds: readonly number[];
  random: number;
  retryAfter: string | null;
  now: Date;
}): Date | null {
  const base = input.scheduleSeconds[input.failedAttempt - 1];
  if (base === undefined) return null;
  const requested = input.retryAfter === null ? null : retryAfterSeconds(input.retryAfter, input.now);
  const seconds =
    requested === null
      ? base * (1 - JITTER + 2 * JITTER * input.random)
      : honourRetryAfter(requested, base, input.random);
  return new Date(input.now.getTime() + Math.round(seconds * 1000));
}

function honourRetryAfter(requestedSeconds: number, base: number, random: number): number {
  const most = base * RETRY_AFTER_MAX_FACTOR;
  return Math.min(Math.max(requestedSeconds, base) * (1 + JITTER * random), most);
}

/** Seconds from `now`, negative for a date in the past; null when the header holds neither form. */
function retryAfterSeconds(header: string, now: Date): number | null {
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value);
  const at = httpDate(value);
  return at === null ? null : (at - now.getTime()) / 1000;
}

/**
 * Parses the three forms of RFC 9110, 5.6.7, to milliseconds. `Date.parse` alone would accept many others,
 * and read the last form (asctime) as local time.
 */
function httpDate(value: string): number | null {
  const isGmt = /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(value);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(value);
  if (!isGmt && !isAsctime) return null;
  const at = Date.parse(isAsctime ? `${value} GMT` : value);
  return Number.isNaN(at) ? null : at;
}
