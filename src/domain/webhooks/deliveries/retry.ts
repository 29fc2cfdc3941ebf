/** Each delay is spread over +-20 %, so that what failed together does not come back together (contract, "Events"). */
const JITTER = 0.2;
/** A receiver may ask for more time with Retry-After, up to this multiple of the schedule's delay. */
const RETRY_AFTER_MAX_FACTOR = 4;

/**
 * When to try again after attempt number `failedAttempt` (1 is the first) has failed, or null when the schedule is used up.
 *
 * `scheduleSeconds[n - 1]` is the delay after failed attempt n, so a schedule of ten gives eleven attempts. `random` is
 * from [0, 1). `retryAfter` is the answer's header as received: seconds or an HTTP date (RFC 9110, 10.2.3), anything else
 * is ignored; it counts within 1x and 4x of the schedule's delay, and is spread forwards only: never earlier than asked.
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
  const asked = input.retryAfter === null ? null : retryAfterSeconds(input.retryAfter, input.now);
  const seconds =
    asked === null ? base * (1 - JITTER + 2 * JITTER * input.random) : honoured(asked, base, input.random);
  return new Date(input.now.getTime() + Math.round(seconds * 1000));
}

function honoured(askedSeconds: number, base: number, random: number): number {
  const most = base * RETRY_AFTER_MAX_FACTOR;
  return Math.min(Math.max(askedSeconds, base) * (1 + JITTER * random), most);
}

/** Seconds from `now`, negative for a date in the past; null when the header holds neither form. */
function retryAfterSeconds(header: string, now: Date): number | null {
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value);
  const at = httpDate(value);
  return at === null ? null : (at - now.getTime()) / 1000;
}

/**
 * The three forms of RFC 9110, 5.6.7, in milliseconds. `Date.parse` alone would take many others, and the last form (asctime)
 * for local time.
 */
function httpDate(value: string): number | null {
  const isGmt = /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(value);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(value);
  if (!isGmt && !isAsctime) return null;
  const at = Date.parse(isAsctime ? `${value} GMT` : value);
  return Number.isNaN(at) ? null : at;
}
