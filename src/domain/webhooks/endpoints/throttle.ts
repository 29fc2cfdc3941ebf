/** How fast an endpoint is called: it begins gently, speeds up while it answers well, slows down while it fails, and stops when it keeps failing. */
export interface Throttle {
  /** How many exchanges may be in flight. */
  readonly concurrencyLimit: number;
  /** Exchanges that failed since the last success, up to the tenth; from then on, probes that failed count on. */
  readonly failures: number;
  /** Nothing is sent until then; null: the circuit is closed. */
  readonly circuitOpenUntil: Date | null;
  /** When the first of those failures was; null: the latest exchange was a success. */
  readonly failingSince: Date | null;
}

/** One connection costs a receiver little, and a worker that shares its sockets among hundreds of endpoints not much. */
export const MAX_CONCURRENCY = 64;
export const INITIAL_CONCURRENCY = 4;
/** So many failures in a row are no hiccup: where a backlog waits, nothing but a probe is sent from then on. */
export const CIRCUIT_OPENS_AFTER = 10;
/** Fewer deliveries than this are no backlog: calling as their schedule says costs nobody anything. */
export const BACKLOG = 20;
/** The longest pause between two probes, as a multiple of the schedule's first delay: a minute with the contract's 5 s. */
const MAX_PROBE_DELAY_FACTOR = 12;
/** Nothing but failure for so long: the endpoint is switched off. */
const DISABLED_AFTER_MS = 5 * 86_400_000;

/**
 * The pace after some exchanges ended at `now` while `waiting` deliveries were pending. Any success closes the circuit, and doubles the
 * pace if none failed beside it: what waited is caught up with 1, 2, 4 ... exchanges at once. Failures alone take the pace back to the
 * first. The tenth in a row opens the circuit where a backlog waits: one exchange then is the probe, and each that fails doubles the
 * pause before the next, from `firstDelaySeconds` (that of the retry schedule) on. What was in the air when the circuit opened is no
 * probe, and does not make the pause longer.
 */
export function throttleAfter(before: Throttle, change: ThrottleChange): Throttle {
  const { succeeded, failed, waiting, now, firstDelaySeconds } = change;
  if (succeeded > 0) {
    const concurrencyLimit =
      failed === 0 ? Math.min(MAX_CONCURRENCY, before.concurrencyLimit * 2) : before.concurrencyLimit;
    return { concurrencyLimit, failures: 0, circuitOpenUntil: null, failingSince: null };
  }
  if (failed === 0) return before;
  if (before.circuitOpenUntil !== null && before.circuitOpenUntil > now) return before;
  const isProbe = before.circuitOpenUntil !== null;
  const failures = isProbe
    ? before.failures + failed
    : Math.min(CIRCUIT_OPENS_AFTER, before.failures + failed);
  const failing = { failures, failingSince: before.failingSince ?? now };
  if (failures < CIRCUIT_OPENS_AFTER || waiting < BACKLOG)
    return { ...failing, concurrencyLimit: INITIAL_CONCURRENCY, circuitOpenUntil: null };
  const factor = Math.min(MAX_PROBE_DELAY_FACTOR, 2 ** Math.min(30, failures - CIRCUIT_OPENS_AFTER));
  return {
    ...failing,
    concurrencyLimit: 1,
    circuitOpenUntil: new Date(now.getTime() + firstDelaySeconds * factor * 1000),
  };
}

export interface ThrottleChange {
  readonly succeeded: number;
  readonly failed: number;
  /** Counted up to BACKLOG. */
  readonly waiting: number;
  readonly now: Date;
  readonly firstDelaySeconds: number;
}

/** True once an endpoint has done nothing but fail for five days. */
export function isFailingTooLong({ failingSince }: Throttle, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLED_AFTER_MS;
}
