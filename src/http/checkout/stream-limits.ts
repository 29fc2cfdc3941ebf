/** Pages reconnect after 1 to 5 s: those of a process that ended must not reach the next one all at once. */
export const RETRY_MS = { least: 1_000, spread: 4_000 };
/**
 * Enough for an office behind one address, and no client can use all streams. RATE_LIMIT_SCALE multiplies it,
 * like all limits per address.
 */
export const MAX_PAGES_PER_ADDRESS = 100;

/** The limits of a web process for its open pages. */
export interface PageLimits {
  /**
   * A second feels immediate to a customer, and one statement a second costs Postgres little, however many
   * pages it asks for.
   */
  readonly intervalMs: number;
  /** Proxies close connections that are silent for 30 to 60 s. */
  readonly heartbeatMs: number;
  /**
   * Then a stream ends and its page reconnects: it learns when time alone has made its payment final, and
   * pages spread over web processes that were started later.
   */
  readonly maxAgeMs: number;
  /** Some 20 kB each, and a statement of 0.2 s a second. Beyond, pages poll every three seconds. */
  readonly maxPages: number;
}

export const LIMITS: PageLimits = {
  intervalMs: 1_000,
  heartbeatMs: 20_000,
  maxAgeMs: 3_600_000,
  maxPages: 10_000,
};
