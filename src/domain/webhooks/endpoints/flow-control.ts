/**
 * How fast an endpoint is called: a concurrency limit that grows while requests succeed and falls while they
 * fail, and a circuit breaker that stops requests to an endpoint that keeps failing.
 */
export interface FlowControl {
  /** How many requests may be in flight. */
  readonly concurrency_limit: number;
  /**
   * Requests that failed since the last success, up to CIRCUIT_OPENS_AFTER; beyond that, failed probes count.
   */
  readonly failures: number;
  /** Nothing is sent until then: the circuit is open, or no place at the origin was free; null: neither. */
  readonly circuit_open_until: Date | null;
  /** When the first of those failures was; null: the latest request succeeded. */
  readonly failing_since: Date | null;
}

/** A connection costs a receiver little, and a worker shares its sockets among hundreds of endpoints. */
export const MAX_CONCURRENCY = 64;
export const INITIAL_CONCURRENCY = 4;
/** This many failures in a row open the circuit where there is a backlog. */
export const CIRCUIT_OPENS_AFTER = 10;
/** Fewer pending deliveries are no backlog: their retry schedule alone limits the requests enough. */
export const BACKLOG_THRESHOLD = 20;
/** The longest delay between two probes, as a multiple of the retry schedule's first delay. */
const MAX_PROBE_DELAY_FACTOR = 12;
/** An endpoint that did nothing but fail for this long is disabled. */
export const DISABLED_AFTER_DAYS = 5;
const DISABLED_AFTER_MS = DISABLED_AFTER_DAYS * 86_400_000;
/**
 * While a merchant has webhooks disabled, due deliveries wait this long for them to be enabled. Then they
 * fail, and stay in the log for the rest of the retention period.
 */
export const WAITING_DAYS = 20;

/** The results of requests that are recorded at once. */
export interface RequestResults {
  readonly succeeded: number;
  readonly failed: number;
  /** When requests that found no place at their origin retry; null: all found one. */
  readonly deferredTo: Date | null;
  /** Deliveries that were pending, counted up to BACKLOG_THRESHOLD. */
  readonly pendingCount: number;
  readonly now: Date;
  /** The retry schedule's first delay. */
  readonly firstDelaySeconds: number;
}

/**
 * Returns the flow control after `results`. An endpoint that waits for a place at its origin has no open
 * circuit: its failures count. It waits for the later of both.
 */
export function nextFlowControl(before: FlowControl, results: RequestResults): FlowControl {
  const isOpen = before.failures >= CIRCUIT_OPENS_AFTER && before.concurrency_limit === 1;
  const after = afterRequests(isOpen ? before : { ...before, circuit_open_until: null }, results);
  const waits = isOpen || results.succeeded > 0 ? null : before.circuit_open_until;
  const until = [after.circuit_open_until, waits, results.deferredTo].flatMap(
    (time) => time?.getTime() ?? [],
  );
  return { ...after, circuit_open_until: until.length === 0 ? null : new Date(Math.max(...until)) };
}

/**
 * Returns the flow control after requests. Any success closes the circuit, and doubles the concurrency limit
 * if no request failed beside it, so a backlog drains with 1, 2, 4 ... requests at once. Failures alone reset
 * the limit to the initial one. Where there is a backlog, CIRCUIT_OPENS_AFTER failures in a row open the
 * circuit (half-open after its delay): one request is then the probe, and each failed probe doubles the delay
 * before the next. Requests that were in flight when the circuit opened are no probes and do not prolong the
 * delay.
 */
function afterRequests(before: FlowControl, results: RequestResults): FlowControl {
  const { succeeded, failed, pendingCount, now, firstDelaySeconds } = results;
  if (succeeded > 0) {
    const concurrency_limit =
      failed === 0 ? Math.min(MAX_CONCURRENCY, before.concurrency_limit * 2) : before.concurrency_limit;
    return { concurrency_limit, failures: 0, circuit_open_until: null, failing_since: null };
  }
  if (failed === 0) return before;
  if (before.circuit_open_until !== null && before.circuit_open_until > now) return before;
  const isProbe = before.circuit_open_until !== null;
  const failures = isProbe
    ? before.failures + failed
    : Math.min(CIRCUIT_OPENS_AFTER, before.failures + failed);
  const failing = { failures, failing_since: before.failing_since ?? now };
  if (failures < CIRCUIT_OPENS_AFTER || pendingCount < BACKLOG_THRESHOLD)
    return { ...failing, concurrency_limit: INITIAL_CONCURRENCY, circuit_open_until: null };
  const factor = Math.min(MAX_PROBE_DELAY_FACTOR, 2 ** Math.min(30, failures - CIRCUIT_OPENS_AFTER));
  return {
    ...failing,
    concurrency_limit: 1,
    circuit_open_until: new Date(now.getTime() + firstDelaySeconds * factor * 1000),
  };
}

/** True once an endpoint has done nothing but fail for DISABLED_AFTER_DAYS. */
export function isFailingTooLong({ failing_since }: FlowControl, now: Date): boolean {
  return failing_since !== null && now.getTime() - failing_since.getTime() >= DISABLED_AFTER_MS;
}
