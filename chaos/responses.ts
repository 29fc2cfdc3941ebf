/** What a merchant's client must get within. */
const PROMISED_MS = 2_000;
/** Beyond this a response is a failure: load, service and databases share the cores of one machine here. */
const FAILED_MS = 5_000;
/** The slowest response of a baseline on a machine that has room for the run. */
const USUAL_SLOWEST_MS = 1_000;
/** A machine that needs more is too slow to show a fault, and a service that does is not excused. */
const MAX_STRETCH = 4;
/**
 * Beside the baseline's share, which is that of few requests; stretched too, because more connections time
 * out on a busy machine.
 */
const SPARE_SHARE = 0.02;

/** What was sent in a phase of the run. */
export class Figures {
  requests = 0;
  /** 429 and 503. */
  refused = 0;
  /** While web was there. */
  slowestMs = 0;
}

/**
 * What the clients' requests have returned, phase by phase. The first phase is the baseline: what the service
 * does on this machine now, without a fault. What follows is judged by it.
 */
export class Responses {
  readonly faults: string[] = [];
  /** How often each status came; `none`: no response. */
  readonly counts = new Map<string, number>();
  /** Responses later than promised. */
  slow = 0;
  #stretch = MAX_STRETCH;
  readonly baseline = new Figures();
  /** Sent and answered between faults. */
  readonly calm = new Figures();
  /** The fault in force, or the last one. */
  #phase = { name: 'the baseline', figures: this.baseline };
  /** When the last one was over; null: one is in force. */
  #calmSince: number | null = null;
  #hitSince: number | null = null;
  #hitUntil = -Infinity;

  /**
   * Ends the baseline, in which all was well after `seconds`, where a machine that has room takes
   * `usualSeconds`. Returns what it says. Throws when nothing can be judged by it.
   */
  endBaseline(seconds: number | null, usualSeconds: number): string {
    const { slowestMs, refused, requests } = this.baseline;
    const slower = Math.max(slowestMs / USUAL_SLOWEST_MS, (seconds ?? Infinity) / usualSeconds);
    this.#stretch = Math.min(MAX_STRETCH, Math.max(1, slower));
    const wrong = [...this.faults, ...(seconds === null ? ['all was not well in time'] : [])];
    if (refused > requests / 2) wrong.push(`${refused} of ${requests} requests were refused`);
    if (wrong.length > 0)
      throw new Error(`without any fault, on a machine too slow or by a broken service: ${wrong.join('; ')}`);
    this.endFault();
    const found = `${refused} of ${requests} refused, slowest ${Math.round(slowestMs)} ms`;
    return `${found}, well after ${seconds?.toFixed(1)} s: limits are multiplied by ${this.#stretch.toFixed(1)}`;
  }

  /** A limit of time, as it is on this machine: a whole number. */
  limit(time: number): number {
    return Math.round(time * this.#stretch);
  }

  /** From now on a fault is in force; the figures grow with what is sent meanwhile. */
  beginFault(name: string): Figures {
    this.#phase = { name, figures: new Figures() };
    this.#calmSince = null;
    return this.#phase.figures;
  }

  /** The fault is over, and all is well. */
  endFault(): void {
    this.#calmSince = performance.now();
  }

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
    const isCalm = this.#calmSince !== null && sentAt >= this.#calmSince;
    const figures = isCalm ? this.calm : this.#phase.figures;
    figures.requests += 1;
    const isRefused = status === 429 || status === 503;
    if (isRefused) figures.refused += 1;
    const where = `${what} during "${isCalm ? 'no fault' : this.#phase.name}"`;
    // However slow a machine is, it causes no other status.
    if (status !== null && !isRefused && !expected.includes(status))
      this.faults.push(`${where} returned ${status}`);
    // A web process that is hit, or was when the request came, may leave it without a response.
    if (this.#hitSince !== null || sentAt < this.#hitUntil) return;
    if (status === null) this.faults.push(`${where} got no response after ${Math.round(ms)} ms`);
    if (ms > PROMISED_MS) this.slow += 1;
    figures.slowestMs = Math.max(figures.slowestMs, ms);
    if (ms > this.limit(FAILED_MS)) this.faults.push(`${where} took ${Math.round(ms)} ms`);
  }

  /** Judges what came between the faults: no more may be refused than without any. */
  judgeCalm(): string[] {
    const { requests, refused } = this.calm;
    const spare = SPARE_SHARE * this.#stretch;
    const share = this.baseline.refused / Math.max(1, this.baseline.requests) + spare;
    const allowed = Math.ceil(requests * share);
    if (refused <= allowed) return [];
    return [
      `between faults ${refused} of ${requests} requests were refused, by the baseline ${allowed} may be`,
    ];
  }
}
