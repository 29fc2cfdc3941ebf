/** What a merchant's client must get within. */
const PROMISED_MS = 2_000;
/** Beyond this a response is a failure: load, service and databases share the cores of one machine here. */
const FAILED_MS = 5_000;

/** What the clients' requests have returned. */
export class Responses {
  readonly faults: string[] = [];
  /** How often each status came; `none`: no response. */
  readonly counts = new Map<string, number>();
  /** Responses later than promised. */
  slow = 0;
  slowestMs = 0;
  /** The fault that lasts, for messages; null: none. */
  during: string | null = null;
  #hitSince: number | null = null;
  #hitUntil = 0;

  /** From now on web is hit itself: no response is expected of it until `webWorks`. */
  webIsHit(): void {
    this.#hitSince ??= performance.now();
  }

  webWorks(): void {
    if (this.#hitSince === null) return;
    this.#hitSince = null;
    this.#hitUntil = performance.now();
  }

  /** Judges a response: null is none. `expected` are statuses below 500 that are right here. */
  record(
    what: string,
    status: number | null,
    sentAt: number,
    expected: readonly number[] = [200, 201],
  ): void {
    const ms = performance.now() - sentAt;
    const key = status === null ? 'none' : String(status);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    const isRight = status !== null && [...expected, 429, 503].includes(status);
    const where = `${what} during "${this.during ?? 'no fault'}"`;
    if (status !== null && !isRight) this.faults.push(`${where} returned ${status}`);
    // A web process that is hit, or was when the request came, may leave it without a response.
    if (this.#hitSince !== null || sentAt < this.#hitUntil) return;
    if (status === null) this.faults.push(`${where} got no response after ${Math.round(ms)} ms`);
    if (ms > PROMISED_MS) this.slow += 1;
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (ms > FAILED_MS) this.faults.push(`${where} took ${Math.round(ms)} ms`);
  }
}
